#include "strategy/parameter_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "graph/clipping.hpp"
#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

constexpr std::int64_t one_slice = std::int64_t{1} << 32;

ExperimentSpec served(std::int64_t servers, std::int64_t batch_size = 8) {
    ExperimentSpec spec;
    spec.nodes.resize(3);
    spec.batch_size = batch_size;
    spec.strategy = {.name = StrategyName::parameter_server, .servers = servers, .slice_bytes = one_slice};
    return spec;
}

/// "Verb bucket root" of every exchange operator, with "+" for a start and "-" for a wait.
Lines server_exchanges_of(const Program& program) {
    Lines lines;
    for (const auto& op : program.operators) {
        const auto* attributes = std::get_if<ExchangeAttributes>(&op.attributes);
        if (attributes == nullptr) continue;
        const auto* mark = op.kind == OperatorKind::exchange_start  ? "+"
                           : op.kind == OperatorKind::exchange_wait ? "-"
                                                                    : "";
        const auto* verb = attributes->exchange.verb == ExchangeVerb::push      ? "push"
                           : attributes->exchange.verb == ExchangeVerb::pull    ? "pull"
                           : attributes->exchange.verb == ExchangeVerb::send    ? "send"
                           : attributes->exchange.verb == ExchangeVerb::receive ? "receive"
                                                                                : "other";
        lines.push_back(fmt::format("{}{} {} {}", mark, verb, op.name, attributes->exchange.root));
    }
    return lines;
}

/// The turn of each slice that a worker exchanges, by the rank of its server. A slice's gradients and its new
/// values have one turn.
std::map<std::int64_t, std::vector<std::optional<std::int64_t>>> turns_by_server(const Program& program) {
    std::map<std::int64_t, std::vector<std::optional<std::int64_t>>> gradients, values;
    for (const auto& op : program.operators) {
        if (op.kind != OperatorKind::exchange_start) continue;
        const auto& exchange = op.as<ExchangeAttributes>().exchange;
        const bool sent = exchange.verb == ExchangeVerb::push || exchange.verb == ExchangeVerb::send;
        (sent ? gradients : values)[exchange.root].push_back(exchange.turn);
    }
    CHECK(gradients == values);
    return gradients;
}

std::size_t held(const NodePlan& plan) {
    return static_cast<std::size_t>(std::ranges::count_if(
        plan.parameters, [](const HeldParameter& parameter) { return parameter.part.has_value(); }));
}

}  // namespace

TEST_CASE("servers are ranks behind the workers, and take no data") {
    CHECK(workers_and_servers(served(2)) == std::vector<std::int64_t>{0, 1, 2, -1, -1});
    const auto plans = plans_for(served(2), mnist_cnn(), 24, 12);
    REQUIRE(plans.size() == 5);
    CHECK(plans[2].role == "worker");
    CHECK(plans[3].role == "server");
    CHECK(plans[2].data == DataRole{.values = true, .labels = true, .numbers = true});
    CHECK(plans[3].data == DataRole{});
    CHECK(step_of(plans[3]).operators.front().kind == OperatorKind::zeros_like);
    CHECK(plans[3].routine.evaluations.at(0).at(0).empty());
    CHECK(plans[0].routine.evaluations.at(0).at(0).size() == 1);
}

TEST_CASE("a worker pushes each bucket once it is complete, and pulls the new values") {
    const auto plans = plans_for(served(1), mnist_cnn(), 24);
    const auto& step = step_of(plans[1]);
    CHECK(server_exchanges_of(step) == Lines{"+push bucket_0 3", "+pull bucket_0 3", "+push bucket_1 3",
                                             "+pull bucket_1 3", "-push bucket_0 3", "-pull bucket_0 3",
                                             "-push bucket_1 3", "-pull bucket_1 3"});
    CHECK(std::ranges::count(step.operators, Pass::update, &Operator::pass) == 0);
    for (const auto& op : step.operators) {
        const auto* attributes = std::get_if<ExchangeAttributes>(&op.attributes);
        if (attributes != nullptr) CHECK(attributes->exchange.group == std::vector<std::int64_t>{3, 0, 1, 2});
    }
    CHECK(server_exchanges_of(step_of(plans[3])) ==
          Lines{"+push bucket_0 3", "+push bucket_1 3", "-push bucket_0 3", "+pull bucket_0 3",
                "-push bucket_1 3", "+pull bucket_1 3", "-pull bucket_0 3", "-pull bucket_1 3"});
    CHECK(std::ranges::count(step_of(plans[3]).operators, Pass::update, &Operator::pass) == 8);
    CHECK(plans[1].links == Links{{3}, {3}, 1});
    CHECK(plans[3].links == Links{{0, 1, 2}, {0, 1, 2}, 1});
}

TEST_CASE("a server answers each slice of a bucket while the next are under way") {
    auto spec = served(1);
    spec.strategy.slice_bytes = 2 << 20;
    const auto plans = plans_for(spec, mnist_cnn(), 24);
    const auto lines = server_exchanges_of(step_of(plans[3]));
    CHECK(Lines(lines.begin() + 4, lines.begin() + 8) ==
          Lines{"-push bucket_0.slice_0 3", "+pull bucket_0.slice_0 3", "-push bucket_0.slice_1 3",
                "+pull bucket_0.slice_1 3"});
    std::uint64_t updated = 0;
    for (const auto& op : step_of(plans[3]).operators)
        if (op.name == "dense_1.weight" && op.pass == Pass::update && op.range) updated += op.range->count;
    CHECK(updated == 9216 * 128);
}

TEST_CASE("a worker sends three slices to a server before it has the answer to the first") {
    auto spec = served(2);
    spec.strategy.slice_bytes = 500'000;
    const auto turns = turns_by_server(step_of(plans_for(spec, mnist_cnn(), 24)[0]));
    REQUIRE(turns.size() == 2);
    std::set<std::int64_t> used;
    for (const auto& [server, of_slices] : turns) {
        REQUIRE(of_slices.size() > 4);
        for (std::size_t i = 0; i < of_slices.size(); ++i) {
            REQUIRE(of_slices[i]);
            CHECK(of_slices[i] == of_slices[i % 3]);
            used.insert(*of_slices[i]);
        }
    }
    CHECK(used.size() == 6);  // no turn is of two servers
}

TEST_CASE("a worker sends all of its slices at once to a server that answers when it has all") {
    auto spec = served(1);
    spec.strategy.slice_bytes = 500'000;
    const auto turns_of = [&] { return turns_by_server(step_of(plans_for(spec, mnist_cnn(), 24)[0])).at(3); };
    const auto without = [](const std::vector<std::optional<std::int64_t>>& turns) {
        return std::ranges::none_of(turns, [](const auto& turn) { return turn.has_value(); });
    };
    CHECK_FALSE(without(turns_of()));
    spec.strategy.commit = CommitPoint::by_step;
    CHECK(without(turns_of()));
    spec.strategy.commit = CommitPoint::by_bucket;
    spec.strategy.staleness = 1;
    CHECK(without(turns_of()));
}

TEST_CASE("slices are as small as the links are slow, unless their size is given") {
    const auto slices = [](std::optional<double> link, std::optional<std::int64_t> bytes) {
        auto spec = served(1);
        spec.strategy.slice_bytes = bytes;
        spec.cluster = ClusterSpec{.link_mbit = link};
        return turns_by_server(step_of(plans_for(spec, mnist_cnn(), 24)[0])).at(3).size();
    };
    const auto few = slices({}, {});
    CHECK(few == slices({}, 1 << 19));
    CHECK(slices(100'000.0, {}) == few);
    CHECK(slices(100.0, {}) == slices({}, 1 << 14));
    CHECK(slices(2000.0, {}) == slices({}, 125'000));
    CHECK(slices(100.0, 1 << 19) == few);
}

TEST_CASE("several servers share each bucket, and each holds what it updates") {
    const auto plans = plans_for(served(2), mnist_cnn(), 24);
    CHECK(server_exchanges_of(step_of(plans[3])) ==
          Lines{"+push bucket_0.slice_0 3", "+push bucket_1.slice_0 3", "-push bucket_0.slice_0 3",
                "+pull bucket_0.slice_0 3", "-push bucket_1.slice_0 3", "+pull bucket_1.slice_0 3",
                "-pull bucket_0.slice_0 3", "-pull bucket_1.slice_0 3"});
    CHECK(server_exchanges_of(step_of(plans[4])).front() == "+push bucket_0.slice_1 4");
    CHECK(held(plans[3]) + held(plans[4]) == 10);  // each bucket is cut within one parameter
    CHECK(held(plans[0]) == 8);
    for (const auto& parameter : plans[0].parameters) {
        CHECK(parameter.slots.empty());
        CHECK(parameter.saved);
    }
    for (const auto& parameter : plans[3].parameters) CHECK_FALSE(parameter.saved);
    CHECK(plans[3].layouts == plans[0].layouts);
}

TEST_CASE("before a checkpoint, servers make the parameters whole that they share") {
    const auto plans = plans_for(served(2), mnist_cnn(), 24);
    for (const auto rank : {3, 4}) {
        const auto& plan = plans[static_cast<std::size_t>(rank)];
        REQUIRE(plan.routine.before_checkpoint.size() == 1);
        const auto& program = plan.programs.at(plan.routine.before_checkpoint.front());
        const auto lines = server_exchanges_of(program);
        CHECK(std::ranges::count(lines, "pull dense_1.weight 3") == 1);
        CHECK(std::ranges::count(lines, "pull dense_1.weight 4") == 1);
        CHECK(lines.size() == 4);  // two servers, two parameters without slots
    }
    CHECK(plans_for(served(1), mnist_cnn(), 24)[3].routine.before_checkpoint.empty());
    CHECK(plans[0].routine.before_checkpoint.empty());
}

TEST_CASE("with clipping by the norm of each parameter, no tensor is cut") {
    auto graph = mnist_cnn();
    clip_gradients(graph, {ClipBy::norm, 1.0});
    auto spec = served(2);
    spec.gradient_clipping = GradientClipping{ClipBy::norm, 1.0};
    const auto plans = plans_for(spec, graph, 24);
    CHECK(server_exchanges_of(step_of(plans[3])) == Lines{"push bucket_0 3", "pull bucket_0 3"});
    CHECK(server_exchanges_of(step_of(plans[4])) == Lines{"push bucket_1 4", "pull bucket_1 4"});
    CHECK(held(plans[3]) == 3);
}

TEST_CASE("pushes may be rounded, pulls never are") {
    auto spec = served(1);
    spec.strategy.wire_type = WireType::float16;
    const auto plan = plans_for(spec, mnist_cnn(), 24)[0];
    for (const auto& op : step_of(plan).operators) {
        const auto* attributes = std::get_if<ExchangeAttributes>(&op.attributes);
        if (attributes == nullptr) continue;
        const bool pulls = attributes->exchange.verb == ExchangeVerb::pull;
        CHECK((attributes->exchange.options.wire_type == WireType::float32) == pulls);
    }
}

TEST_CASE("servers answer behind the global norm, to which each adds the squares of its gradients") {
    auto graph = mnist_cnn();
    clip_gradients(graph, {ClipBy::global_norm, 1.0});
    const auto servers = GENERATE(1, 2);
    const auto plan = plans_for(served(servers), graph, 24)[3];
    const auto& operators = step_of(plan).operators;
    const auto norm = std::ranges::find(
        operators, servers == 1 ? OperatorKind::global_norm : OperatorKind::square_root, &Operator::kind);
    const auto pull = std::ranges::find_if(operators, [](const Operator& op) {
        const auto* attributes = std::get_if<ExchangeAttributes>(&op.attributes);
        return attributes != nullptr && attributes->exchange.verb == ExchangeVerb::pull;
    });
    REQUIRE(norm != operators.end());
    CHECK(norm < pull);
}

TEST_CASE("a server has programs for the messages of each worker that takes steps apart") {
    auto spec = served(1);
    spec.strategy.staleness = 2;
    const auto plans = plans_for(spec, mnist_cnn(), 24);
    const auto& step = step_of(plans[1]);
    CHECK(step.averages_over == AveragesOver::own_examples);
    CHECK(server_exchanges_of(step) == Lines{"+send bucket_0 3", "+receive bucket_0 3", "+send bucket_1 3",
                                             "+receive bucket_1 3", "-send bucket_0 3", "-receive bucket_0 3",
                                             "-send bucket_1 3", "-receive bucket_1 3"});
    CHECK(std::ranges::count(step.operators, Pass::update, &Operator::pass) == 0);
    CHECK(step_of(plans[0]).operators == step_of(plans[2]).operators);
    CHECK(plans[1].links == Links{{3}, {3}, 1});

    const auto& server = plans[3];
    CHECK(server.links == Links{{0, 1, 2}, {0, 1, 2}, 1});
    CHECK(server.routine.most_ahead == 2);
    REQUIRE(server.routine.handlers.size() == 3);
    for (std::int64_t worker = 0; worker < 3; ++worker) {
        const auto& handler = server.routine.handlers[static_cast<std::size_t>(worker)];
        CHECK(handler.peer == worker);
        const auto program = [&](const Sequence& sequence) -> const Program& {
            return server.programs.at(sequence.at(0));
        };
        const auto lines = [&](const Sequence& sequence) { return server_exchanges_of(program(sequence)); };
        CHECK(lines(handler.receive) == Lines{fmt::format("+receive bucket_0 {}", worker),
                                              fmt::format("+receive bucket_1 {}", worker)});
        CHECK(lines(handler.update) == Lines{fmt::format("-receive bucket_0 {}", worker),
                                             fmt::format("-receive bucket_1 {}", worker)});
        CHECK(lines(handler.answer) ==
              Lines{fmt::format("+send bucket_0 {}", worker), fmt::format("+send bucket_1 {}", worker)});
        CHECK(lines(handler.sent) ==
              Lines{fmt::format("-send bucket_0 {}", worker), fmt::format("-send bucket_1 {}", worker)});
        CHECK(std::ranges::count(program(handler.update).operators, Pass::update, &Operator::pass) == 8);
        // Messages of several workers arrive at the same time, each in its own place.
        const auto& bucket = program(handler.receive).buckets.at(0);
        CHECK(program(handler.receive).tensor(bucket.storage).name ==
              fmt::format("bucket_0.worker_{}", worker));
    }
}

TEST_CASE("several servers handle the slices that they hold, and a server without slices handles nothing") {
    auto spec = served(2);
    spec.strategy.staleness.reset();
    const auto plans = plans_for(spec, mnist_cnn(), 24);
    for (const auto server : {3, 4}) {
        CHECK(plans.at(server).routine.handlers.size() == 3);
        CHECK_FALSE(plans.at(server).routine.most_ahead);
        CHECK_FALSE(plans.at(server).routine.before_checkpoint.empty());
    }
    CHECK(server_exchanges_of(plans[3].programs.at(0)) ==
          Lines{"+receive bucket_0.slice_0 0", "+receive bucket_1.slice_0 0"});
    CHECK(server_exchanges_of(plans[4].programs.at(0)).front() == "+receive bucket_0.slice_1 0");
    spec.strategy.bucketing = Bucketing::end_of_step;
    spec.gradient_clipping = GradientClipping{.by = ClipBy::norm};  // one bucket, which stays whole
    const auto whole = plans_for(spec, mnist_cnn(), 24);
    CHECK(whole[3].routine.handlers.size() + whole[4].routine.handlers.size() == 3);
}

TEST_CASE("where a run may lose workers, a server can leave out a message that comes again") {
    auto spec = served(2);
    spec.strategy.staleness.reset();
    for (const auto& server : plans_for(spec, mnist_cnn(), 24))
        for (const auto& handler : server.routine.handlers) CHECK(handler.drop.empty());
    spec.failures.policy = FailurePolicy::shrink;
    const auto plans = plans_for(spec, mnist_cnn(), 24);
    for (const auto server : {3, 4}) {
        for (const auto& handler : plans.at(server).routine.handlers) {
            const auto& drop = plans.at(server).programs.at(handler.drop.at(0));
            const auto& update = plans.at(server).programs.at(handler.update.at(0));
            CHECK(server_exchanges_of(drop) == server_exchanges_of(update));
            CHECK(std::ranges::count(drop.operators, Pass::update, &Operator::pass) == 0);
        }
    }
}

TEST_CASE("with staleness 0 all workers take a step together, and each has an example otherwise") {
    auto spec = served(1);
    const auto usual = plans_for(spec, mnist_cnn(), 26);  // a last batch of two examples
    spec.strategy.staleness = 0;
    CHECK(plans_for(spec, mnist_cnn(), 26) == usual);
    CHECK(usual[3].routine.handlers.empty());
    spec.strategy.staleness = 1;
    CHECK_THROWS_WITH(
        plans_for(spec, mnist_cnn(), 26),
        Catch::Contains("$.strategy.staleness") && Catch::Contains("worker 2 has none of a batch of 2"));
}
