#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "spec/minimal.hpp"
#include "spec/parse.hpp"
#include "spec/run_identity.hpp"
#include "spec/spec_of_members.hpp"
#include "spec/without_effect.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Contains;
using nlohmann::json;

namespace {

json fault(int node, int step, const char* kind) {
    return {{"node", node}, {"step", step}, {"kind", kind}};
}

json three_nodes(const json& faults, const char* changes = "{}") {
    auto spec = with("faults", faults);
    spec["nodes"] = 3;
    spec.merge_patch(json::parse(changes));
    return spec;
}

constexpr auto shrinks = R"({"failures": "shrink", "strategy": {"commit": "by_step"}})";
constexpr auto served_apart = R"({"failures": "shrink",
    "strategy": {"name": "parameter_server", "servers": 1, "staleness": 3}})";

}  // namespace

TEST_CASE("faults are a list of steps, or are drawn") {
    CHECK(parse_spec(with("faults", json::array())).faults.empty());
    const auto listed = parse_spec(three_nodes({fault(2, 50, "hang"), fault(0, 9, "slow")}));
    REQUIRE(listed.faults.at_steps.size() == 2);
    CHECK(listed.faults.at_steps[0] == FaultSpec{.node = 2, .step = 50, .kind = FaultKind::hang});
    CHECK(listed.faults.at_steps[1].factor == 2.0);
    const auto drawn = parse_spec(three_nodes({{"mean_time_s", 20}, {"kinds", {"term", "hang"}}}));
    REQUIRE(drawn.faults.random);
    CHECK(drawn.faults.random->kinds == std::vector{FaultKind::term, FaultKind::hang});
    for (const auto& spec : {listed, drawn}) CHECK(parse_spec(to_json(spec)) == spec);
}

TEST_CASE("faults are of the identity of a run, and not of its training") {
    const auto without = parse_spec(three_nodes(json::array()));
    const auto faulty = parse_spec(three_nodes(json::array({fault(2, 50, "slow")})));
    CHECK(run_id(without) == run_id(parse_spec(with("nodes", 3))));
    CHECK(run_id(faulty) != run_id(without));
    CHECK(training_id(faulty) == training_id(without));
}

TEST_CASE("faults that cannot happen are refused, with the reason") {
    CHECK_THAT(refusal(three_nodes(json::array({fault(3, 1, "kill")}))),
               Contains("$.faults[0].node: found 3, expected one of the 3 nodes, counted from 0"));
    CHECK_THAT(refusal(three_nodes(json::array({fault(5, 1, "kill")}),
                                   R"({"strategy": {"name": "parameter_server", "servers": 2}})")),
               Contains("one of the 5 nodes (the last 2 of them servers)"));
    CHECK_THAT(refusal(three_nodes(json::array({fault(1, 0, "kill")}))),
               Contains("$.faults[0].step: found 0"));
    CHECK_THAT(refusal(three_nodes(json::array({fault(1, 1, "burn")}))),
               Contains("$.faults[0].kind: found \"burn\""));
    for (const auto* kind : {"drop_link", "deadlock"}) {
        CHECK_THAT(refusal(with("faults", json::array({fault(0, 1, kind)}))),
                   Contains(std::string("$.faults[0].kind: found \"") + kind) && Contains("one node"));
        CHECK_THAT(refusal(three_nodes(json::array({fault(0, 4, kind)}),
                                       R"({"strategy": {"name": "independent"}})")),
                   Contains(std::string("$.faults[0].kind: found \"") + kind) && Contains("\"independent\""));
    }
    CHECK_THAT(refusal(three_nodes({fault(1, 4, "kill"), fault(1, 4, "slow")})),
               Contains("$.faults[1].step: found 4, expected another step"));
    CHECK_THAT(refusal(three_nodes({fault(1, 9, "slow"), fault(2, 4, "kill")})),
               Contains("$.faults[0].step: found 9, expected at most 4: with the policy \"abort\""));
    CHECK_THAT(refusal(three_nodes({fault(1, 4, "kill"), fault(1, 9, "slow")}, shrinks)),
               Contains("$.faults[1].node: found 1") && Contains("lost at step 4"));
    CHECK_THAT(refusal(three_nodes({fault(0, 4, "kill"), fault(1, 5, "term"), fault(2, 6, "hang")}, shrinks)),
               Contains("$.faults: found 3, expected one node at least that no fault ends"));
    CHECK_THAT(refusal(three_nodes({fault(3, 4, "kill"), fault(1, 9, "slow")}, served_apart)),
               Contains("$.faults[1].step: found 9, expected at most 4: with the policy \"shrink\" the run "
                        "ends by the fault of a server at that step"));
    CHECK_THAT(
        refusal(three_nodes({fault(0, 4, "kill"), fault(1, 5, "kill"), fault(2, 6, "kill")}, served_apart)),
        Contains("$.faults: found 3, expected one node at least that no fault ends"));
    CHECK_THAT(refusal(three_nodes({{"mean_time_s", 1}, {"nodes", {0, 3}}})),
               Contains("$.faults.nodes[1]: found 3"));
    CHECK_THAT(refusal(three_nodes({{"mean_time_s", 1}, {"kinds", {"slow"}}})),
               Contains("$.faults.kinds[0]: found \"slow\", expected one of \"kill\", \"term\", \"hang\""));
    CHECK_THAT(refusal(three_nodes("kill")), Contains("a list of faults, or an object for random ones"));
}

TEST_CASE("what may happen one after the other is taken") {
    CHECK_NOTHROW(parse_spec(three_nodes({fault(1, 4, "slow"), fault(2, 9, "kill")})));
    CHECK_NOTHROW(parse_spec(
        three_nodes({fault(1, 4, "kill"), fault(1, 9, "drop_link")}, R"({"failures": "restart"})")));
    CHECK_NOTHROW(parse_spec(three_nodes(
        {fault(0, 4, "kill"), fault(0, 9, "partition"), fault(1, 9, "deadlock"), fault(2, 12, "drop_link")},
        R"({"failures": {"policy": "shrink", "grow": true}, "strategy": {"commit": "by_step"}})")));
}

TEST_CASE("servers go on without a lost worker only if workers take steps apart, which is said") {
    const auto served = [](const char* changes) { return three_nodes(json::array(), changes); };
    auto unbounded = served(served_apart);
    CHECK_NOTHROW(parse_spec(unbounded));
    unbounded["strategy"]["staleness"] = nullptr;  // which a merge patch cannot set
    CHECK_NOTHROW(parse_spec(unbounded));
    CHECK_THAT(refusal(served(R"({"failures": "shrink", "strategy": {"name": "parameter_server"}})")),
               Contains("$.strategy.staleness: found 0, expected null or a number above 0 with the policy "
                        "\"shrink\": workers that take steps together wait for the one that is lost"));
    CHECK_THAT(refusal(served(R"({"failures": {"policy": "shrink", "grow": true},
                                  "strategy": {"name": "parameter_server", "staleness": 3}})")),
               Contains("$.failures.grow: found true, expected false with the strategy "
                        "\"parameter_server\""));
    CHECK_THAT(refusal(served(R"({"failures": "shrink", "strategy": {"name": "local_sgd"}})")),
               Contains("$.strategy.name: found \"local_sgd\", expected \"ring_allreduce\" or "
                        "\"parameter_server\" with the policy \"shrink\""));
    CHECK_THAT(refusal(served(R"({"failures": "shrink", "checkpoints": {"every_steps": 4},
                                  "strategy": {"name": "parameter_server", "staleness": 3}})")),
               Contains("$.checkpoints") && Contains("expected null with the policy \"shrink\""));
}

TEST_CASE("a fault may end one server of workers apart, at the end of their run") {
    CHECK_NOTHROW(parse_spec(three_nodes({fault(1, 4, "kill"), fault(3, 9, "kill")}, served_apart)));
}

TEST_CASE("a factor is told unless the node is slow") {
    auto kill = fault(1, 4, "kill");
    kill["factor"] = 3;
    CHECK(fields_without_effect(parse_spec(three_nodes(json::array({kill})))) ==
          std::vector<std::string>{"$.faults[0].factor has no effect but with the kind slow"});
}

TEST_CASE("the spec of the nodes that are left has no faults, whose nodes are others") {
    const auto spec = parse_spec(three_nodes({fault(1, 4, "kill"), fault(2, 9, "kill")}, shrinks));
    const std::vector<std::int64_t> left{0, 2};
    CHECK(spec_of_members(spec, left).faults.empty());
}

TEST_CASE("the spec of the workers that are left has all servers, which are no nodes of a spec") {
    const auto spec = parse_spec(three_nodes(json::array(), served_apart));
    const std::vector<std::int64_t> left{0, 2, 3};
    const auto own = spec_of_members(spec, left);
    CHECK(own.world_size() == 2);
    CHECK(own.rank_count() == 3);
}

TEST_CASE("random faults follow from the seed, at times that rise") {
    const RandomFaultsSpec random{.mean_time_s = 20.0,
                                  .seed = 7,
                                  .count = 1000,
                                  .kinds = {FaultKind::kill, FaultKind::hang},
                                  .nodes = {}};
    const auto faults = draw_faults(random, 3);
    CHECK(faults == draw_faults(random, 3));
    auto other = random;
    other.seed = 8;
    CHECK(faults != draw_faults(other, 3));
    REQUIRE(faults.size() == 1000);
    std::vector<int> of_node(3);
    double before = 0.0;
    for (const auto& fault : faults) {
        CHECK(fault.time_s >= before);
        before = fault.time_s;
        ++of_node.at(static_cast<std::size_t>(fault.node));
    }
    for (const int count : of_node) CHECK(count > 250);
    CHECK(faults.back().time_s / 1000.0 == Approx(20.0).epsilon(0.15));
    other.nodes = {1};
    for (const auto& fault : draw_faults(other, 3)) CHECK(fault.node == 1);
}
