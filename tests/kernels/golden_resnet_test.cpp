#include <catch2/catch.hpp>
#include <cmath>

#include "graph/clipping.hpp"
#include "graph/recompute.hpp"
#include "kernels/backends.hpp"
#include "kernels/comparison.hpp"
#include "kernels/golden.hpp"
#include "kernels/rank_executors.hpp"
#include "kernels/steps.hpp"
#include "nn/network.hpp"
#include "nn/zoo.hpp"
#include "strategy/programs.hpp"
#include "support/fused.hpp"

/// Ten training steps of resnet_v2 of depth 11 and an evaluation behind them, against PyTorch
/// (golden/make_golden_resnet.py).
using namespace convoy;
using namespace convoy::test;

namespace {

constexpr std::int64_t resnet_batch_size = 8;
constexpr double resnet_tolerance = 1e-3;
const Shape resnet_image{3, 32, 32};

/// The numbers in [-1, 1) that the script calls hashed(key, shape).
double hashed(std::uint32_t key, std::uint32_t position) {
    std::uint32_t h = position * 2654435761U + key * 40503U + 12345U;
    for (int round = 0; round < 2; ++round) h = (h ^ (h >> 16U)) * 0x45D9F3BU;
    h ^= h >> 16U;
    return static_cast<double>(h) / 2147483648.0 - 1.0;
}

/// What a parameter starts from: its numbers times a scale, about a middle.
struct Start {
    double scale = 0.0;
    double middle = 0.0;
};

Start start_of(const TensorInfo& info) {
    if (info.name.ends_with(".bias")) return {0.1, 0.0};
    if (info.name.ends_with(".gamma")) return {0.2, 1.0};
    if (info.name.ends_with(".beta")) return {0.2, 0.0};
    if (info.name.ends_with(".moving_mean")) return {0.0, 0.0};
    if (info.name.ends_with(".moving_variance")) return {0.0, 1.0};
    const auto fan_in = static_cast<double>(info.shape.elements() / info.shape[0]);
    return {std::sqrt((info.shape.rank() == 4 ? 6.0 : 3.0) / fan_in), 0.0};
}

void write_start(Backend& backend, const Program& program) {
    std::uint32_t key = 0;
    for (const auto& parameter : program.parameters) {
        const auto& info = program.tensor(parameter.value);
        const auto start = start_of(info);
        std::vector<float> values(static_cast<std::size_t>(info.shape.elements()));
        for (std::uint32_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(start.middle + start.scale * hashed(key, i));
        backend.write(info.name, values);
        ++key;
    }
    write_slot_starts(backend, program);
}

OwnedBatch hashed_batch(std::uint32_t step) {
    auto batch = random_batch(resnet_batch_size, resnet_image, 10, 1);
    for (std::uint32_t i = 0; i < batch.values.size(); ++i)
        batch.values[i] = static_cast<float>(hashed(1000 + step, i));
    for (std::uint32_t i = 0; i < batch.labels.size(); ++i)
        batch.labels[i] = static_cast<std::int32_t>(hashed(2000 + step, i) * 5.0 + 5.0);
    return batch;
}

/// Length of every trained parameter as a vector.
std::vector<float> norms(const Backend& backend, const Program& program) {
    std::vector<float> result;
    for (const auto& parameter : program.parameters) {
        if (!parameter.trained) continue;
        double sum = 0.0;
        for (const auto value : backend.read(program.tensor(parameter.value).name))
            sum += static_cast<double>(value) * value;
        result.push_back(static_cast<float>(std::sqrt(sum)));
    }
    return result;
}

}  // namespace

TEST_CASE("ten steps of resnet_v2 agree with PyTorch", "[large]") {
    const auto model = resolve_model({.name = "resnet_v2", .input = {}, .layers = {}, .depth = 11});
    const Sgd optimizer{.learning_rate = 0.05, .momentum = 0.9};
    for (const auto& factory : backend_factories()) {
        for (const bool fusion : {false, true}) {
            const auto name = factory.name + (fusion ? ", fused" : "");
            LargestDifference largest(name + ", ten steps of resnet_v2 against PyTorch");
            INFO(name);
            const std::vector programs{
                instantiate(fused(training_graph(model, optimizer, resnet_image, 10), fusion),
                            ProgramKind::train, {0, 1, resnet_batch_size, resnet_batch_size}),
                instantiate(fused(evaluation_graph(model, resnet_image, 10), fusion), ProgramKind::evaluate,
                            {0, 1, resnet_batch_size, resnet_batch_size})};
            const auto backend = factory.make();
            const auto bound = backend->bind(programs);
            write_start(*backend, programs[0]);
            const auto compare = [&](const std::string& what, std::span<const float> found) {
                const auto difference = relative_difference(found, golden("resnet_" + what));
                INFO(what);
                CHECK(difference <= resnet_tolerance);
                largest.add(what, difference);
            };

            std::vector<float> losses;
            std::vector<float> penalties;
            for (std::uint32_t step = 0; step < golden_steps; ++step) {
                run_step(*bound[0], hashed_batch(step), step);
                losses.push_back(static_cast<float>(bound[0]->metrics().loss_sum / resnet_batch_size));
                penalties.push_back(bound[0]->read(find_tensor(programs[0], "l2"))[0]);
            }
            compare("losses", losses);
            compare("penalties", penalties);
            // One by one: beside a kernel's, the norm of a scale or a shift would not be seen to be wrong.
            const auto found_norms = norms(*backend, programs[0]);
            const auto expected_norms = golden("resnet_norms");
            REQUIRE(found_norms.size() == expected_norms.size());
            for (std::size_t i = 0; i < found_norms.size(); ++i) {
                INFO("norm " << i);
                CHECK(found_norms[i] == Approx(expected_norms[i]).epsilon(resnet_tolerance));
            }
            compare("moving_mean", backend->read("norm.moving_mean"));
            compare("moving_variance", backend->read("norm.moving_variance"));
            compare("classes", backend->read("classes.weight"));
            run_step(*bound[1], hashed_batch(0));
            compare("evaluation",
                    std::vector{static_cast<float>(bound[1]->metrics().loss_sum / resnet_batch_size)});
        }
    }
}

TEST_CASE("what is clipped by the norm of all gradients has the L2 penalty's part in it", "[large]") {
    auto model = resolve_model({.name = "resnet_v2", .input = {}, .layers = {}, .depth = 11});
    for (auto& layer : model.layers) {
        if (auto* conv = std::get_if<Conv2dLayer>(&layer.layer)) conv->l2 = 1e-2;
    }
    for (const auto& factory : backend_factories()) {
        for (const bool fusion : {false, true}) {
            INFO(factory.name << (fusion ? ", fused" : ""));
            auto plain = training_graph(model, Sgd{.learning_rate = 0.05, .momentum = 0.9}, resnet_image, 10);
            clip_gradients(plain, {ClipBy::global_norm, 2.5});
            const auto graph = fused(std::move(plain), fusion);
            const std::vector programs{
                instantiate(graph, ProgramKind::train, {0, 1, resnet_batch_size, resnet_batch_size})};
            const auto backend = factory.make();
            const auto bound = backend->bind(programs);
            write_start(*backend, programs[0]);
            // Of weights as they were written: the penalty tells of the step's beginning.
            double squares = 0.0;
            for (const auto& parameter : programs[0].parameters) {
                for (const auto weight : backend->read(programs[0].tensor(parameter.value).name))
                    squares += parameter.l2 * static_cast<double>(weight) * static_cast<double>(weight);
            }
            std::vector<float> losses;
            std::vector<float> norms;
            for (std::uint32_t step = 0; step < golden_steps; ++step) {
                run_step(*bound[0], hashed_batch(step), step);
                if (step == 0)
                    CHECK(bound[0]->told(TensorRole::penalty).value() == Approx(squares).epsilon(1e-5));
                losses.push_back(static_cast<float>(bound[0]->metrics().loss_sum / resnet_batch_size));
                norms.push_back(static_cast<float>(bound[0]->told(TensorRole::gradient_norm).value()));
            }
            CHECK(relative_difference(losses, golden("clip_resnet_losses")) <= resnet_tolerance);
            CHECK(relative_difference(norms, golden("clip_resnet_norms")) <= resnet_tolerance);
        }
    }
}

namespace {

/// Ranks with these shares of the golden batches, at the golden start.
RankExecutors cluster(const BackendFactory& factory, const std::vector<std::int64_t>& shares,
                      BatchNormStatistics statistics, bool fusion, bool recompute) {
    const auto model = resolve_model({.name = "resnet_v2", .input = {}, .layers = {}, .depth = 11});
    const auto graph = training_graph(model, Sgd{.learning_rate = 0.05, .momentum = 0.9}, resnet_image, 10);
    const auto compiled = [&](const std::vector<std::int64_t>& examples) {
        auto programs = compile_for(examples, {.batch_norm_statistics = statistics}, graph, fusion);
        for (auto& program : programs) {
            program.layout_batch = std::ranges::max(shares);
            if (recompute) recompute_batch_norms(program.operators, program.tensors);
        }
        return programs;
    };
    std::vector<std::vector<Program>> programs(shares.size());
    for (const auto& examples : {std::vector(shares.size(), std::ranges::max(shares)), shares}) {
        auto all = compiled(examples);
        for (std::size_t rank = 0; rank < shares.size(); ++rank)
            programs[rank].push_back(std::move(all[rank]));
    }
    RankExecutors ranks(std::move(programs), factory.make);
    for (std::size_t rank = 0; rank < ranks.ranks(); ++rank)
        write_start(ranks.backend(rank), ranks.program(rank));
    return ranks;
}

std::vector<float> losses_of(RankExecutors& ranks) {
    std::vector<float> losses;
    for (std::uint32_t step = 0; step < golden_steps; ++step)
        losses.push_back(static_cast<float>(ranks.step(hashed_batch(step), step)));
    return losses;
}

struct Cut {
    std::vector<std::int64_t> shares;
    bool fusion = true;
    bool recompute = false;
};

}  // namespace

TEST_CASE("ranks with synchronised statistics train as one with the whole batch", "[large]") {
    for (const auto& factory : backend_factories()) {
        LargestDifference largest(factory.name + ", synchronised statistics against PyTorch on one node");
        for (const auto& cut : {Cut{{5, 3}}, Cut{{3, 3, 2}, false}, Cut{{8, 0}}, Cut{{4, 4}, true, true}}) {
            INFO(factory.name << ", " << cut.shares.size() << " ranks, fusion " << cut.fusion
                              << ", recompute " << cut.recompute);
            auto ranks =
                cluster(factory, cut.shares, BatchNormStatistics::synchronised, cut.fusion, cut.recompute);
            const auto losses = losses_of(ranks);
            const auto compare = [&](const std::string& what, std::span<const float> found) {
                const auto difference = relative_difference(found, golden("resnet_" + what));
                INFO(what);
                CHECK(difference <= resnet_tolerance);
                largest.add(what, difference);
            };
            compare("losses", losses);
            for (std::size_t rank = 0; rank < ranks.ranks(); ++rank) {
                compare("norms", norms(ranks.backend(rank), ranks.program(rank)));
                compare("classes", ranks.backend(rank).read("classes.weight"));
                compare("moving_mean", ranks.backend(rank).read("norm.moving_mean"));
                compare("moving_variance", ranks.backend(rank).read("norm.moving_variance"));
                for (const auto& parameter : ranks.program(0).parameters) {
                    const auto& name = ranks.program(0).tensor(parameter.value).name;
                    CHECK(ranks.backend(rank).read(name) == ranks.backend(0).read(name));
                }
            }
        }
    }
}

TEST_CASE("with statistics per node, ranks train otherwise than one with the whole batch") {
    for (const auto& factory : backend_factories()) {
        INFO(factory.name);
        auto ranks = cluster(factory, {5, 3}, BatchNormStatistics::per_node, true, false);
        CHECK(relative_difference(losses_of(ranks), golden("resnet_losses")) > 3 * resnet_tolerance);
    }
}
