#include "graph/recompute.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "graph/listing.hpp"
#include "nn/network.hpp"
#include "support/fused.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

/// Two convolutions, each behind a normalisation, of which only the first has a ReLU, and one that nothing
/// reads in the backward pass.
Graph normalised(bool fusion) {
    const Conv2dLayer pointwise{.filters = 2, .kernel = 1};
    const ModelSpec model{"lines",
                          {2, 4, 4},
                          {{"n1", BatchNormLayer{.activation = Activation::relu}},
                           {"c1", pointwise},
                           {"n2", BatchNormLayer{}},
                           {"c2", pointwise},
                           {"n3", BatchNormLayer{}},
                           {"f", FlattenLayer{}},
                           {"p", AddLayer{}, {"f", "f"}},
                           {"d", DenseLayer{.units = 3}}}};
    return fused(training_graph(model, Sgd{}, {2, 4, 4}, 3), fusion);
}

std::vector<std::string> recomputed(bool fusion) {
    auto graph = normalised(fusion);
    recompute_batch_norms(graph.operators, graph.tensors);
    std::vector<std::string> lines;
    for (const auto& line : listing(graph)) {
        if (line.find("/again") != std::string::npos) lines.push_back(line);
    }
    return lines;
}

}  // namespace

TEST_CASE("a normalisation's result is computed again just before the backward pass reads it") {
    CHECK(recomputed(true) ==
          std::vector<std::string>{
              "_RecomputeBatchNorm n2: c1/biased, n2.gamma, n2.beta, n2/mean, n2/variance -> "
              "n2/normalised/again",
              "_FusedConv2DBackpropFilter c2: n2/normalised/again, c2/biased/gradient -> c2.weight/gradient, "
              "c2.bias/gradient (Conv2DBackpropFilter + BiasAddGrad)",
              "_RecomputeBatchNorm n1: images, n1.gamma, n1.beta, n1/mean, n1/variance -> n1/relu/again",
              "_FusedConv2DBackpropFilter c1: n1/relu/again, c1/biased/gradient -> c1.weight/gradient, "
              "c1.bias/gradient (Conv2DBackpropFilter + BiasAddGrad)"});
}

TEST_CASE("forward operators read what they read before") {
    auto graph = normalised(true);
    const auto before = listing(graph);
    recompute_batch_norms(graph.operators, graph.tensors);
    for (const auto& line : listing(graph)) {
        if (line.find("/again") != std::string::npos) continue;
        INFO(line);
        CHECK(std::ranges::count(before, line) == 1);
    }
}
