#include <catch2/catch.hpp>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

/// What a command prints on standard output, which must be one JSON value.
json printed(const Outcome& outcome) {
    INFO(outcome.err);
    return json::parse(outcome.out);
}

}  // namespace

TEST_CASE("with --json a failing command prints its error as JSON beside the line") {
    const TemporaryFolder folder;
    const auto none = (folder / "none.json").string();
    for (const std::vector<std::string>& words : {std::vector<std::string>{"run", none},
                                                  {"plan", none},
                                                  {"sweep", none},
                                                  {"evaluate", none},
                                                  {"bench", "operators", none}}) {
        auto with = words;
        with.emplace_back("--json");
        const auto outcome = run_convoy(with);
        INFO(words.front());
        CHECK(outcome.code == 66);
        const auto error = printed(outcome).at("error");
        CHECK(error.at("code") == 66);
        CHECK(error.at("kind") == "missing");
        CHECK_THAT(error.at("file").get<std::string>(), Contains(none));
        CHECK(outcome.err == "convoy: " + error.at("message").get<std::string>() + "\n");
        CHECK(run_convoy(words).out.empty());
    }
    auto spec = small_spec();
    spec["epoch"] = 2;
    const auto file = write_spec(folder, spec);
    const auto error = printed(run_convoy({"plan", file, "--json"})).at("error");
    CHECK(error.at("code") == 65);
    CHECK(error.at("field") == "$.epoch");
    CHECK(error.at("file") == file);
    CHECK(printed(run_convoy({"plan", "--json", "--quit"})).at("error").at("kind") == "usage");
}

TEST_CASE("plan --json has the numbers of the plan") {
    const TemporaryFolder folder;
    const auto file = write_spec(folder, small_spec());
    const auto text = run_convoy({"plan", file}).out;
    const auto plan = printed(run_convoy({"plan", file, "--json"}));
    CHECK(plan.at("nodes") == 2);
    CHECK_THAT(text, Contains(to_string(plan.at("parameters")) + " parameters"));
    CHECK_THAT(text, Contains(to_string(plan.at("steps")) + " steps, " +
                              to_string(plan.at("steps_per_epoch")) + " an epoch"));
    std::int64_t parameters = 0;
    for (const auto& layer : plan.at("layers")) parameters += layer.at("parameters").get<std::int64_t>();
    CHECK(parameters == plan.at("parameters"));
    REQUIRE(plan.at("node_classes").size() == 1);
    const auto& nodes = plan.at("node_classes").at(0);
    CHECK(nodes.at("ranks") == json{0, 1});
    CHECK(nodes.at("reads") == json{"values", "labels", "example numbers"});
    CHECK_THAT(text, Contains(to_string(nodes.at("sent_bytes")) + " bytes sent"));
    const auto& exchanges = nodes.at("programs").at(0).at("exchanges");
    REQUIRE_FALSE(exchanges.empty());
    for (const auto& exchange : exchanges)
        CHECK_THAT(
            text, Contains("exchange " + exchange.at("name").get<std::string>() + ": " +
                           exchange.at("how").get<std::string>() + ", " + to_string(exchange.at("elements")) +
                           " elements, rank 0 sends " + to_string(exchange.at("sent_bytes")) + " bytes"));
    CHECK_THAT(text, Contains(to_string(plan.at("memory").at(0).at("all_bytes"))));
}

TEST_CASE("plan --json of a run that does not fit has the layers and the error in one object") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["model"] = {{"input", {1, 28, 28}},
                     {"layers",
                      {{{"type", "flatten"}},
                       {{"type", "dense"}, {"units", 1 << 20}},
                       {{"type", "dense"}, {"units", 1 << 20}},
                       {{"type", "dense"}, {"units", 10}, {"activation", "softmax"}}}}};
    const auto outcome = run_convoy({"plan", write_spec(folder, spec), "--json"});
    CHECK(outcome.code == 65);
    const auto plan = printed(outcome);
    CHECK(plan.at("layers").size() == 4);
    CHECK(plan.at("error").at("code") == 65);
    CHECK_FALSE(plan.contains("node_classes"));
}

TEST_CASE("sweep --json lists the runs, and tells at the end what came out and what failed") {
    const TemporaryFolder folder;
    const json sweep{{"name", "two"}, {"base", small_spec()}, {"grid", {{"batch_size", {24, 1'000'000}}}}};
    const auto file = write_spec(folder, sweep, "sweep.json");
    const auto out = (folder / "out").string();
    const auto listed = printed(run_convoy({"sweep", file, "--out", out, "--list", "--json"}));
    REQUIRE(listed.at("runs").size() == 2);
    CHECK(listed.at("runs").at(0).at("settings") == json{{"batch_size", 24}});
    CHECK(listed.at("runs").at(0).at("state") == "pending");
    const auto outcome = run_convoy({"sweep", file, "--out", out, "--json"});
    CHECK(outcome.code == 65);
    const auto ended = printed(outcome);
    CHECK(ended.at("folder") == out);
    CHECK(ended.at("runs").at(0).at("state") == "done");
    CHECK(ended.at("runs").at(1).at("state") == "failed");
    CHECK(ended.at("runs").at(1).at("code") == 65);
    CHECK(ended.at("medians").at(0).at("batch_size") == 24);
    CHECK(ended.at("error").at("code") == 65);
    CHECK_THAT(ended.at("error").at("message").get<std::string>(), Contains("1 of 2 runs failed"));
    const auto one = printed(run_convoy(
        {"sweep",
         write_spec(folder, {{"name", "one"}, {"base", small_spec()}, {"grid", {{"batch_size", {24}}}}},
                    "one.json"),
         "--out", (folder / "one").string(), "--json"}));
    CHECK_FALSE(one.contains("error"));
}

TEST_CASE("dataset --json lists datasets, and the state of each file beside the error") {
    const TemporaryFolder folder;
    const auto data = folder.path().string();
    const auto listed = printed(run_convoy({"dataset", "list", "--json", "--data", data}));
    CHECK(listed.at("data_folder") == data);
    CHECK(listed.at("datasets").at(0).at("name") == "mnist");
    CHECK(listed.at("datasets").at(0).at("files_present") == 0);
    const auto outcome = run_convoy({"dataset", "verify", "mnist", "--json", "--data", data});
    CHECK(outcome.code == 66);
    const auto verified = printed(outcome);
    CHECK(verified.at("files").size() == 4);
    CHECK(verified.at("files").at(0).at("state") == "missing");
    CHECK(verified.at("error").at("code") == 66);
}
