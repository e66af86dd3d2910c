// Nodes that hold parts of parameters: initial values, weights and checkpoints are those of the whole.

#include "train/weights.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/error_line.hpp"
#include "nn/network.hpp"
#include "spec/parse.hpp"
#include "tensor/tensor_parts.hpp"
#include "train/backends.hpp"

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

constexpr std::int64_t units = 10;

/// A step of a network with one dense layer of so many units.
Graph network(std::int64_t units_held) {
    const ModelSpec model{
        "inline", {1, 3, 5}, {{"flat", FlattenLayer{}}, {"dense", DenseLayer{.units = units_held}}}};
    return training_graph(model, Adam{}, {1, 3, 5}, units_held);
}

/// A node that holds some units of the dense layer of ten, with their slots.
class PartOfDense {
  public:
    PartOfDense(std::int64_t first, std::int64_t count, KernelLibrary library)
        : program_({instantiate(network(count), ProgramKind::train, {.batch = 4, .layout_batch = 4})}),
          backend_(make_backend({.name = library}, 1, 1)),
          bound_(backend_->bind(program_)) {
        const auto whole = network(units);
        for (const auto& parameter : whole.parameters) {
            HeldParameter held{.value = whole.tensor(parameter.value),
                               .description = parameter,
                               .part = TensorSlice{.axis = 0, .first = first, .count = count}};
            for (const auto slot : parameter.slots) held.slots.push_back(whole.tensor(slot));
            parameters_.push_back(std::move(held));
        }
    }
    [[nodiscard]] Backend& backend() { return *backend_; }
    [[nodiscard]] HeldParameters parameters() const { return parameters_; }

  private:
    std::vector<Program> program_;
    std::unique_ptr<Backend> backend_;
    std::vector<std::unique_ptr<BoundProgram>> bound_;
    std::vector<HeldParameter> parameters_;
};

/// Puts the files of several nodes together.
std::vector<NamedTensor> joined(const std::vector<std::vector<std::byte>>& files) {
    std::vector<TensorPart> parts;
    for (const auto& file : files) std::ranges::move(decode_parts(file, "a node"), std::back_inserter(parts));
    return join_all_parts(std::move(parts), "all nodes",
                          [](const std::string& /*name*/) { return SharedPlaces::mean; });
}

ExperimentSpec spec_with_seed(int seed) {
    return parse_spec({{"dataset", {{"name", "mnist"}}}, {"model", "mnist_cnn"}, {"seed", seed}});
}

}  // namespace

TEST_CASE("initial weights depend on the place in the whole, not on the part that a node holds") {
    const auto library = GENERATE(KernelLibrary::onednn, KernelLibrary::xtensor);
    PartOfDense whole(0, units, library);
    PartOfDense first(0, 3, library);
    PartOfDense second(3, 7, library);
    for (auto* node : {&whole, &first, &second})
        set_initial_weights(node->backend(), node->parameters(), spec_with_seed(5));
    const auto expected = decode_safetensors(get_weights(whole.backend(), whole.parameters()), "the whole");
    REQUIRE(expected.size() == 2);
    CHECK(joined({get_weights(first.backend(), first.parameters()),
                  get_weights(second.backend(), second.parameters())}) == expected);

    // From a file of whole tensors, each node takes its part.
    const auto file = get_weights(whole.backend(), whole.parameters());
    PartOfDense other(2, 5, library);
    set_weights(other.backend(), other.parameters(), file, "a file");
    const auto part = decode_parts(get_weights(other.backend(), other.parameters()), "a node").at(0);
    CHECK(part.values == cut_slice(expected.at(0).values, part.slice, part.whole));
    CHECK(part.slice == TensorSlice{.axis = 0, .first = 2, .count = 5});
}

TEST_CASE("parameters and slots of one cut are taken over by another") {
    const auto library = GENERATE(KernelLibrary::onednn, KernelLibrary::xtensor);
    PartOfDense first(0, 6, library);
    PartOfDense second(6, 4, library);
    for (auto* node : {&first, &second}) {
        for (const auto& parameter : node->parameters()) {
            float next = static_cast<float>(parameter.part->first);
            for (const auto& name :
                 {parameter.value.name, parameter.slots.at(0).name, parameter.slots.at(1).name}) {
                auto values = node->backend().read(name);
                for (auto& value : values) value = next += 0.5F;
                node->backend().write(name, values);
            }
        }
    }
    const auto before = joined({get_training_tensors(first.backend(), first.parameters()),
                                get_training_tensors(second.backend(), second.parameters())});
    CHECK(before.size() == 6);
    const auto file = encode_safetensors(before);
    PartOfDense left(0, 1, library);
    PartOfDense right(1, 9, library);
    for (auto* node : {&left, &right})
        set_training_tensors(node->backend(), node->parameters(), file, "a checkpoint");
    CHECK(joined({get_training_tensors(left.backend(), left.parameters()),
                  get_training_tensors(right.backend(), right.parameters())}) == before);
}

TEST_CASE("a file without the part that a node holds is refused") {
    PartOfDense first(0, 6, KernelLibrary::xtensor);
    PartOfDense other(2, 6, KernelLibrary::xtensor);
    const auto refusal = [&](std::span<const std::byte> file) {
        return error_line<DataError>(
            [&] { set_training_tensors(other.backend(), other.parameters(), file, "a file"); });
    };
    CHECK_THAT(refusal(get_training_tensors(first.backend(), first.parameters())),
               Contains("a file: has another part of dense.weight"));
    CHECK_THAT(refusal(get_weights(first.backend(), first.parameters().first(1))), Contains("another part"));
    const std::vector<NamedTensor> none;
    CHECK_THAT(refusal(encode_safetensors(none)), Contains("has no tensor dense.weight"));
    const std::vector<NamedTensor> wrong{{"dense.weight", Shape{10, 2}, std::vector<float>(20)}};
    CHECK_THAT(refusal(encode_safetensors(wrong)), Contains("dense.weight is 10x2, the network's is 10x15"));
}
