#include "strategy/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "graph/clipping.hpp"
#include "plan/memory_need.hpp"
#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

ExperimentSpec pipeline(PipelineSchedule schedule, std::int64_t micro_batches) {
    ExperimentSpec spec;
    spec.model.name = "mnist_cnn";
    spec.nodes.resize(3);
    spec.batch_size = 20;
    spec.strategy = {.name = StrategyName::model_split,
                     .stages = {.layers = {{"conv2d_1", "conv2d_2"},
                                           {"max_pool_1", "dropout_1", "flatten_1"},
                                           {"dense_1", "dropout_2", "dense_2"}}},
                     .micro_batches = micro_batches,
                     .schedule = schedule};
    return spec;
}

constexpr auto all_schedules = {PipelineSchedule::fill_drain, PipelineSchedule::one_forward_one_backward,
                                PipelineSchedule::zero_bubble};

std::vector<NodePlan> plans_of(PipelineSchedule schedule, std::int64_t micro_batches) {
    return plans_for(pipeline(schedule, micro_batches), mnist_cnn(), 27);
}

/// The messages that begin in a program, by link {from, to}, in order.
std::map<std::pair<std::int64_t, std::int64_t>, Lines> messages_of(const Program& program, std::int64_t rank,
                                                                   ExchangeVerb verb) {
    std::map<std::pair<std::int64_t, std::int64_t>, Lines> messages;
    for (const auto& op : program.operators) {
        if (op.kind != OperatorKind::exchange_start && op.kind != OperatorKind::exchange) continue;
        const auto& exchange = op.as<ExchangeAttributes>().exchange;
        if (exchange.verb != verb) continue;
        const auto link =
            verb == ExchangeVerb::send ? std::pair(rank, exchange.root) : std::pair(exchange.root, rank);
        messages[link].push_back(op.name);
    }
    return messages;
}

/// Runs the programs of all ranks with messages that pass when both ends have begun them, on each link one
/// after another. Returns whether all programs end.
bool all_end(const std::vector<NodePlan>& plans) {
    using Link = std::pair<std::int64_t, std::int64_t>;
    std::map<Link, std::deque<std::string>> sending, receiving;
    std::set<std::pair<std::int64_t, std::string>> done;  // by rank
    const auto pass = [&] {
        for (auto& [link, queue] : sending) {
            auto& other = receiving[link];
            while (!queue.empty() && !other.empty()) {
                if (queue.front() != other.front()) return;  // would be refused by its receiver
                done.insert({link.first, queue.front()});
                done.insert({link.second, queue.front()});
                queue.pop_front();
                other.pop_front();
            }
        }
    };
    std::vector<std::size_t> next(plans.size(), 0);
    std::vector<bool> begun(plans.size(), false);  // a whole exchange, which is not done
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t rank = 0; rank < plans.size(); ++rank) {
            const auto& operators = step_of(plans[rank]).operators;
            for (; next[rank] < operators.size(); ++next[rank]) {
                const auto& op = operators[next[rank]];
                const auto* attributes = std::get_if<ExchangeAttributes>(&op.attributes);
                if (attributes != nullptr) {
                    const auto self = static_cast<std::int64_t>(rank);
                    const auto root = attributes->exchange.root;
                    const bool sends = attributes->exchange.verb == ExchangeVerb::send;
                    if (op.kind != OperatorKind::exchange_wait && !begun[rank]) {
                        (sends ? sending[{self, root}] : receiving[{root, self}]).push_back(op.name);
                        begun[rank] = true;
                        pass();
                    }
                    if (op.kind != OperatorKind::exchange_start && !done.contains({self, op.name})) break;
                    begun[rank] = false;
                }
                moved = true;
            }
        }
    }
    for (std::size_t rank = 0; rank < plans.size(); ++rank)
        if (next[rank] != step_of(plans[rank]).operators.size()) return false;
    return true;
}

std::int64_t activations_of(const NodePlan& plan) {
    return memory_need(plan, KernelLibrary::onednn, 4).of(MemoryPart::activations);
}

std::ptrdiff_t count(const Program& program, OperatorKind kind) {
    return std::ranges::count(program.operators, kind, &Operator::kind);
}

}  // namespace

TEST_CASE("both ends of a link begin their messages in one order, and no stages wait in a circle") {
    for (const auto schedule : all_schedules) {
        for (const std::int64_t micro_batches : {2, 3, 8}) {
            const auto plans = plans_of(schedule, micro_batches);
            std::map<std::pair<std::int64_t, std::int64_t>, Lines> sent, received;
            for (const auto& plan : plans) {
                sent.merge(messages_of(step_of(plan), plan.rank, ExchangeVerb::send));
                received.merge(messages_of(step_of(plan), plan.rank, ExchangeVerb::receive));
            }
            CHECK(sent.size() == 4);
            CHECK(sent == received);
            for (const auto& [link, names] : sent) CHECK(std::ssize(names) == micro_batches);
            CHECK(all_end(plans));
        }
    }
}

TEST_CASE("receives begin before a stage computes, and sends are waited for at the end") {
    const auto plans = plans_of(PipelineSchedule::one_forward_one_backward, 4);
    const auto& operators = step_of(plans[1]).operators;
    const auto computes = [](const Operator& op) {
        return !std::holds_alternative<ExchangeAttributes>(op.attributes) && op.kind != OperatorKind::dataset;
    };
    const auto first = std::ranges::find_if(operators, computes);
    const auto verb = [](const Operator& op) { return op.as<ExchangeAttributes>().exchange.verb; };
    CHECK(std::count_if(operators.begin(), first, [&](const Operator& op) {
              return op.kind != OperatorKind::dataset && verb(op) == ExchangeVerb::receive &&
                     op.kind != OperatorKind::exchange_wait;
          }) == 8);
    for (auto op = operators.end() - 8; op != operators.end(); ++op) {
        CHECK(op->kind == OperatorKind::exchange_wait);
        CHECK(verb(*op) == ExchangeVerb::send);
    }
}

TEST_CASE("each example of a batch is in one micro-batch, also of the smaller last batch") {
    const auto plans = plans_of(PipelineSchedule::zero_bubble, 8);
    const std::map<std::int64_t, std::vector<std::int64_t>> sizes{{20, {3, 3, 3, 3, 2, 2, 2, 2}},
                                                                  {7, {1, 1, 1, 1, 1, 1, 1}}};
    for (const auto& step : plans[0].routine.steps) {
        const auto& program = plans[0].programs.at(step.first.at(0));
        std::vector<std::int64_t> found;
        std::int64_t next = 0;
        for (const auto& op : program.operators) {
            if (op.kind != OperatorKind::dataset) continue;
            const auto& range = op.as<DatasetAttributes>().examples;
            REQUIRE(range);
            CHECK(range->first == next);
            CHECK(program.tensor(op.outputs.at(0)).shape[0] == range->count);
            next += range->count;
            found.push_back(range->count);
        }
        CHECK(next == program.batch);
        CHECK(found == sizes.at(program.batch));
    }
}

TEST_CASE("gradients of micro-batches add up, and each parameter is updated once") {
    for (const auto schedule : all_schedules) {
        const auto plans = plans_of(schedule, 4);
        for (const auto rank : {0U, 2U}) {
            const auto& program = step_of(plans[rank]);
            CHECK(count(program, OperatorKind::assign_add) == 3 * 4);
            CHECK(count(program, OperatorKind::apply_gradient_descent) == 4);
        }
        CHECK(count(step_of(plans[1]), OperatorKind::assign_add) == 0);
        CHECK(count(step_of(plans[2]), OperatorKind::softmax_cross_entropy) == 4);
    }
}

TEST_CASE("the first stage keeps fewer activations with 1F1B than with fill_drain") {
    const auto filled = plans_of(PipelineSchedule::fill_drain, 8);
    const auto in_turn = plans_of(PipelineSchedule::one_forward_one_backward, 8);
    const auto apart = plans_of(PipelineSchedule::zero_bubble, 8);
    // 3 of 8 micro-batches
    CHECK(activations_of(in_turn[0]) < activations_of(filled[0]) * 5 / 8);
    CHECK(activations_of(apart[0]) < activations_of(filled[0]) * 5 / 8);
    CHECK(activations_of(filled[0]) < activations_of(plans_of(PipelineSchedule::fill_drain, 1)[0]) * 3 / 2);
}

TEST_CASE("zero_bubble moves weight gradients of the first stage behind its input gradients") {
    const auto plans = plans_of(PipelineSchedule::zero_bubble, 8);
    const auto& operators = step_of(plans[0]).operators;
    std::vector<std::size_t> gradients, inputs;
    for (std::size_t i = 0; i < operators.size(); ++i) {
        if (operators[i].kind == OperatorKind::fused_conv2d_backprop_filter) gradients.push_back(i);
        if (operators[i].kind == OperatorKind::conv2d_backprop_input) inputs.push_back(i);
    }
    REQUIRE(gradients.size() == 16);  // two convolutions
    REQUIRE(inputs.size() == 8);
    for (std::size_t i = 0; i < inputs.size(); ++i) CHECK(inputs[i] < gradients[2 * i]);
}

TEST_CASE("the gradients' norm is shared once, and batch normalisation is refused") {
    auto graph = mnist_cnn();
    clip_gradients(graph, {ClipBy::global_norm, 1.0});
    const auto spec = pipeline(PipelineSchedule::one_forward_one_backward, 4);
    for (const auto& plan : plans_for(spec, graph, 27))
        CHECK(count(step_of(plan), OperatorKind::squared_norm) == 1);
    auto alone = spec;
    alone.nodes.resize(1);
    alone.model = {.name = "resnet_v2", .input = {}, .layers = {}, .depth = 11};
    alone.strategy.stages = {};
    CHECK_THROWS_WITH(plans_for(alone, small_resnet(), 27),
                      Catch::Contains("$.strategy.micro_batches: expected 1"));
}
