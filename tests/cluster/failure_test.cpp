#include <catch2/catch.hpp>
#include <vector>

#include "cluster/failure.hpp"

using convoy::Evidence;
using convoy::ExitCode;
using convoy::Failure;
using convoy::root_cause;

TEST_CASE("a killed process is blamed, not the peers that report it first") {
    const std::vector<Failure> failures{
        {Evidence::consequence, ExitCode::node_lost, "node 3: node 2 is gone"},
        {Evidence::disconnected, ExitCode::node_lost, "node 2 closed its connection"},
        {Evidence::cause, ExitCode::node_lost, "node 2 was killed"},
        {Evidence::cause, ExitCode::data, "node 0: bad file"},
    };
    CHECK(root_cause(failures)->message == "node 2 was killed");
    CHECK(root_cause(std::span(failures).first(2))->message == "node 2 closed its connection");
    CHECK(root_cause({}) == nullptr);
}

TEST_CASE("silence is better evidence than a peer's deadline") {
    const std::vector<Failure> failures{
        {Evidence::consequence, ExitCode::deadline, "node 1: no word from node 0"},
        {Evidence::silence, ExitCode::node_lost, "node 0 does not answer"}};
    CHECK(root_cause(failures)->code == ExitCode::node_lost);
}

TEST_CASE("who took no part is blamed before those that waited, but not before one that is gone") {
    std::vector<Failure> failures{{Evidence::consequence, ExitCode::deadline, "node 0: no word from node 2"},
                                  {Evidence::absent, ExitCode::deadline, "node 1 took no part"}};
    CHECK(root_cause(failures)->message == "node 1 took no part");
    failures.push_back({Evidence::disconnected, ExitCode::node_lost, "node 2 closed its connection"});
    CHECK(root_cause(failures)->message == "node 2 closed its connection");
}

TEST_CASE("a node's own error is a cause, a lost peer is not") {
    CHECK(convoy::evidence_of_report(ExitCode::data) == Evidence::cause);
    CHECK(convoy::evidence_of_report(ExitCode::disagreement) == Evidence::cause);
    CHECK(convoy::evidence_of_report(ExitCode::node_lost) == Evidence::consequence);
    CHECK(convoy::evidence_of_report(ExitCode::deadline) == Evidence::consequence);
}
