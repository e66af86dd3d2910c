#include "totals_options.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "command_line.hpp"
#include "compare.hpp"
#include "report.hpp"
#include "report/example_run.hpp"
#include "report/render.hpp"
#include "report/run_folder.hpp"
#include "report/tables.hpp"

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

OperatorRecord row(std::int64_t node, std::int64_t epoch, const char* operator_name, const char* layer,
                   const char* pass, double total_us) {
    OperatorRecord record;
    record.node = node;
    record.epoch = epoch;
    record.operator_name = operator_name;
    record.name = layer;
    record.pass = pass;
    record.calls = 2;
    record.total_us = total_us;
    return record;
}

/// Two nodes and three epochs of two steps: each operator takes 10^epoch us, on node 1 twice that.
WholeRun three_epochs() {
    auto run = example_run();
    auto& records = run.records;
    records.operators.clear();
    records.steps.clear();
    records.epochs.clear();
    double us = 1.0;
    for (std::int64_t epoch = 1; epoch <= 3; ++epoch) {
        us *= 10.0;
        for (const std::int64_t node : {0, 1}) {
            const auto time = us * static_cast<double>(node + 1);
            records.operators.push_back(row(node, epoch, "Conv2D", "conv1", "forward", time));
            records.operators.push_back(row(node, epoch, "BiasAdd", "conv1", "forward", time));
            records.operators.push_back(row(node, epoch, "BiasAdd", "dense1", "forward", time));
            for (std::int64_t step = 1; step <= 2; ++step)
                records.steps.push_back({node, epoch, 2 * (epoch - 1) + step, 1.0, 1, 10, 5 * time, 1, 1});
            records.epochs.push_back({node, epoch, {1, 1, 1}, {}, {}, us, 1.0});
        }
    }
    return run;
}

boost::program_options::variables_map given(std::vector<std::string> words) {
    words.insert(words.begin(), {"a", "b"});
    return parse_arguments(compare_form(), words);
}

std::string csv_with(const std::filesystem::path& run, const std::vector<std::string>& words) {
    return to_csv(totals_of_run(run, totals_given(given(words))));
}

constexpr auto header =
    "phase,operator,calls,total_us,mean_us,share_pct,exposed_us,layers,in_flight_us,hidden_us,skew_us\n";

/// A file of names: a convolution and its bias count together.
std::string names_file(const TemporaryFolder& folder) {
    return folder
        .write("names.json",
               R"({"names": [{"name": "_FusedConv2D", "operators": ["Conv2D"], "pass": "forward",
                                           "with": ["BiasAdd", "Relu"]}]})")
        .string();
}

}  // namespace

TEST_CASE("totals are of all of a run, as they always were, unless options choose") {
    const TemporaryFolder folder;
    const auto run = folder.path() / "run";
    write_run_folder(run, three_epochs());
    CHECK(csv_with(run, {}) == to_csv(operator_totals_table(read_run_folder(run))));
    CHECK_FALSE(has_totals_options(given({})));
    CHECK(has_totals_options(given({"--unit", "us"})));
}

TEST_CASE("totals can be of some epochs, an epoch or step, one node or the mean of nodes") {
    const TemporaryFolder folder;
    const auto run = folder.path() / "run";
    write_run_folder(run, three_epochs());
    // Epochs 2 and 3 of node 0: 100 + 1000 us, two calls each; a step of 5 times that.
    CHECK(csv_with(run, {"--epochs", "2..3", "--nodes", "0"}) == std::string(header) +
                                                                     "train,BiasAdd,8,2200,275,20,,2,,,\n"
                                                                     "train,Conv2D,4,1100,275,10,,1,,,\n");
    CHECK(csv_with(run, {"--epochs", "2..3", "--nodes", "0", "--per", "epoch"}) ==
          std::string(header) +
              "train,BiasAdd,4,1100,275,20,,2,,,\n"
              "train,Conv2D,2,550,275,10,,1,,,\n");
    CHECK(csv_with(run, {"--epochs", "2..3", "--nodes", "mean", "--per", "step"}) ==
          std::string(header) +
              "train,BiasAdd,2,825,412.5,20,,2,,,\n"
              "train,Conv2D,1,412.5,412.5,10,,1,,,\n");
    CHECK_THAT(csv_with(run, {"--epochs", "3"}), Contains("train,Conv2D,4,3000,750,"));
    const auto table = totals_of_run(
        run, totals_given(given({"--epochs", "2..3", "--per", "epoch", "--unit", "us", "--nodes", "mean"})));
    CHECK(table.title == "Time per kind of operator, for an epoch, epochs 2 to 3, mean of the nodes");
    CHECK_THAT(to_markdown(table), Contains("total (us)") && Contains("in flight (us)"));
    CHECK_THAT(to_markdown(totals_of_run(run, totals_given(given({"--per", "epoch"})))),
               Contains("total (ms)"));
}

TEST_CASE("operators count under the names of a file, by layer and pass") {
    const TemporaryFolder folder;
    const auto run = folder.path() / "run";
    write_run_folder(run, three_epochs());
    CHECK(csv_with(run, {"--names", names_file(folder), "--epochs", "1", "--nodes", "0"}) ==
          std::string(header) +
              "train,_FusedConv2D,4,20,5,20,,1,,,\n"
              "train,BiasAdd,2,10,5,10,,1,,,\n");
    auto backward = row(0, 1, "BiasAdd", "conv1", "backward", 1.0);
    const std::vector<OperatorName> names{
        {.name = "F", .operators = {"Conv2D"}, .pass = "forward", .with = {"BiasAdd"}},
        {.name = "second", .operators = {"Conv2D"}}};
    const auto named = under_names({row(0, 1, "Conv2D", "conv1", "forward", 1.0), backward,
                                    row(0, 1, "Conv2D", "conv1", "backward", 1.0)},
                                   names);
    CHECK(named[0].operator_name == "F");
    CHECK(named[1] == backward);
    CHECK(named[2].operator_name == "second");
}

TEST_CASE("options of totals say what is wrong with them") {
    const TemporaryFolder folder;
    const auto run = folder.path() / "run";
    write_run_folder(run, three_epochs());
    for (const auto* text : {"", "0..2", "3..2", "a", "1..", "..2", "1...2", "-1..2", "1..2 "})
        CHECK_THROWS_AS(epochs_of(text), UsageError);
    CHECK(epochs_of("7").last_epoch == 7);
    CHECK_THROWS_AS(totals_given(given({"--nodes", "some"})), UsageError);
    CHECK_THROWS_WITH(totals_given(given({"--per", "epoc"})), Contains("did you mean \"epoch\"?"));
    CHECK_THROWS_AS(totals_given(given({"--unit", "s"})), UsageError);
    CHECK_THROWS_WITH(csv_with(run, {"--epochs", "4..9"}), Contains("the epochs 1 to 3"));
    CHECK_THROWS_AS(csv_with(run, {"--nodes", "2"}), DataError);
    CHECK_THROWS_AS(compare_command(std::vector<std::string>{run, run, "--table", "phases", "--per", "step"}),
                    UsageError);
    CHECK_THROWS_AS(report_on(std::vector<std::string>{run, "--per", "step"}, {}), UsageError);
    CHECK_THROWS_WITH(
        totals_given(given({"--names", folder.write("n.json", R"({"names": [{"name": "a"}]})").string()})),
        Contains("--names: ") && Contains("operators"));
}
