#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "collective/ending.hpp"
#include "collective/exchange_run.hpp"
#include "collective/linked_ranks.hpp"

using namespace convoy;
using namespace std::chrono_literals;
using Verb = ExchangeVerb;

namespace {

using Floats = std::vector<float>;
using Integers = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("ranks that disagree about an exchange end with code 76 that says on what") {
    LinkedRanks ranks(3, {.deadline = 10s, .grace = 50ms});
    Floats a(1000), b(1000), longer(1001);
    Integers integers(1000);
    std::string field;
    // Rank 0 receives from rank 1 in each of these.
    const Exchange send_to_0{.verb = Verb::send, .root = 0, .options = {.segment_bytes = 256}};
    SECTION("on the verb") {
        ranks.start(0, a,
                    {.verb = Verb::push, .group = {0, 1}, .root = 0, .options = {.segment_bytes = 256}});
        ranks.start(1, b, send_to_0);
        field = "node 1: operation send where this node has push, in collective 0";
    }
    SECTION("on the size") {
        ranks.start(0, a, {.verb = Verb::receive, .root = 1, .options = {.segment_bytes = 256}});
        ranks.start(1, longer, send_to_0);
        field = "node 1: element count 1001 where this node has 1000";
    }
    SECTION("on the type") {
        ranks.start(0, a, {.verb = Verb::receive, .root = 1, .options = {.segment_bytes = 256}});
        ranks.start(1, integers, send_to_0);
        field = "node 1: element type int64 where this node has float32";
    }
    SECTION("on the group") {
        ranks.start(0, a,
                    {.verb = Verb::push, .group = {1, 0}, .root = 0, .options = {.segment_bytes = 256}});
        ranks.start(1, b,
                    {.verb = Verb::push, .group = {0, 1}, .root = 0, .options = {.segment_bytes = 256}});
        field = "node 1: group ";
    }
    SECTION("on the segments") {
        ranks.start(0, a, {.verb = Verb::receive, .root = 1, .options = {.segment_bytes = 512}});
        ranks.start(1, b, send_to_0);
        field = "node 1: segment bytes 256 where this node has 512";
    }
    ranks.finish();
    const auto [code, text] = ending(ranks.ends[0]);
    CHECK(code == 76);
    CHECK_THAT(text, Catch::Contains(field));
    const auto other = ending(ranks.ends[1]).code;
    CHECK((other == 74 || other == 0));  // it only sends: it may have been done before
}

TEST_CASE("a failure of one exchange ends those on other links, for the same reason") {
    LinkedRanks ranks(4, {.deadline = 60s, .grace = 50ms});
    Floats waiting(10), wrong(10), longer(11), peers(10);
    const auto innocent = ranks.start(0, waiting, {.verb = Verb::receive, .root = 2});
    const auto culprit = ranks.start(0, wrong, {.verb = Verb::receive, .root = 1});
    ranks.start(1, longer, {.verb = Verb::send, .root = 0});
    const auto told =
        ranks.start(3, peers, {.verb = Verb::receive, .root = 0});  // on a link that nothing else uses
    ranks.finish();
    for (const auto end : {innocent, culprit, told}) {
        const auto [code, text] = ending(ranks.ends[end]);
        CHECK(code == 76);
        CHECK_THAT(text, Catch::Contains("node 1: element count 11 where this node has 10"));
    }
}

TEST_CASE("a peer that goes away during a send or a receive is named") {
    LinkedRanks ranks(2, {.deadline = 60s, .grace = 50ms});
    Floats buffer(100'000);
    const auto verb = GENERATE(Verb::send, Verb::receive);
    ranks.start(0, buffer, {.verb = verb, .root = 1});
    for (int i = 0; i < 100; ++i) ranks.io.poll_one();
    ranks.fabrics[1]->close();
    ranks.finish();
    const auto [code, text] = ending(ranks.ends[0]);
    CHECK(code == 74);
    CHECK_THAT(text, Catch::StartsWith("node 1: closed the connection"));
}

TEST_CASE("one link is for one exchange at a time") {
    LinkedRanks ranks(2);
    Floats first(10), second(10), values(10, 1.0F);
    ranks.start(0, first, {.verb = Verb::receive, .root = 1});
    ranks.io.poll();
    const auto refused = ranks.start(0, second, {.verb = Verb::receive, .root = 1});
    ranks.finish(refused);
    CHECK_THROWS_AS(ranks.ends[refused].get(), InternalError);
    ranks.start(1, values, {.verb = Verb::send, .root = 0});
    ranks.finish();
    CHECK(first == values);
}

TEST_CASE("a sparsified buffer is for an all-reduce only") {
    LinkedRanks ranks(2);
    Floats values(10), residual(10);
    const auto verb =
        GENERATE(Verb::send, Verb::receive, Verb::push, Verb::pull, Verb::broadcast, Verb::gather);
    CHECK_THROWS_AS(
        prepare_exchange(*ranks.fabrics[0], SparsifiedBuffer{values, residual}, {.verb = verb, .root = 1}),
        InternalError);
    CHECK_THROWS_AS(prepare_exchange(*ranks.fabrics[0], values,
                                     {.verb = verb, .root = 1, .options = {.wire_type = WireType::top_k}}),
                    InternalError);
}
