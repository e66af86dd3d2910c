#include <signal.h>

#include <catch2/catch.hpp>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;

TEST_CASE("a node that is killed in mid-epoch ends the run, named, with code 74") {
    const TemporaryFolder folder;
    ConvoyProcess run({"run", write_spec(folder, long_spec()), "--out", (folder / "out").string()});
    // The second line of an epoch: the records of the first have come.
    REQUIRE(run.wait_until([&] {
        const auto first = run.error_text().find("epoch ");
        return first != std::string::npos && run.error_text().find("epoch ", first + 1) != std::string::npos;
    }));
    const auto workers = run.children();
    REQUIRE(workers.size() == 2);
    ::kill(workers[1], SIGKILL);
    const auto outcome = run.wait();
    CHECK(outcome.code == 74);
    CHECK_THAT(outcome.err, Contains("node 1") && Contains(std::to_string(workers[1])));
    CHECK_THAT(outcome.err, Contains("convoy recover " + (folder / "out.partial").string()));
    for (const auto worker : workers) wait_until_gone(worker);
    CHECK(folder.entries() == 2);  // the spec, and out.partial
}

TEST_CASE("a launcher that is killed takes its workers with it and leaves what they had told") {
    const TemporaryFolder folder;
    ConvoyProcess run({"run", write_spec(folder, long_spec()), "--out", (folder / "out").string()});
    // The second line of an epoch: the records of the first have come.
    REQUIRE(run.wait_until([&] {
        const auto first = run.error_text().find("epoch ");
        return first != std::string::npos && run.error_text().find("epoch ", first + 1) != std::string::npos;
    }));
    const auto workers = run.children();
    REQUIRE(workers.size() == 2);
    run.signal(SIGKILL);
    CHECK(run.wait().code == -SIGKILL);
    for (const auto worker : workers) wait_until_gone(worker);
    CHECK(folder.entries() == 2);  // the spec, and out.partial
}

TEST_CASE("an interrupted run keeps what was finished") {
    const TemporaryFolder folder;
    ConvoyProcess run({"run", write_spec(folder, long_spec()), "--out", (folder / "out").string()});
    REQUIRE(run.wait_for_error_text("epoch "));
    run.signal(SIGINT);
    const auto outcome = run.wait();
    CHECK(outcome.code == 130);
    const auto summary = json_of(folder / "out" / "summary.json");
    CHECK(summary.at("status") == "interrupted");
    const auto epochs = rows_of(folder / "out" / "epochs.csv");
    CHECK(summary.at("epochs").get<std::size_t>() == epochs.size());
    REQUIRE_FALSE(epochs.empty());
    for (const auto& epoch : epochs) CHECK_FALSE(epoch.at("train_loss").get<std::string>().empty());
    CHECK(std::filesystem::exists(folder / "out" / "weights.safetensors"));
}
