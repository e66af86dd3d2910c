#include "replication/joined.hpp"

#include <catch2/catch.hpp>

#include "report/columns.hpp"

using namespace convoy;

namespace {

ReplicationSpec spec() {
    ReplicationSpec spec{.title = "t", .source = "s", .a = "a", .b = "b"};
    spec.level = 1.1;
    spec.measures["time"] = {.unit = "us", .terms = {{"", {{.operator_name = "*"}}}}};
    return spec;
}

MeasuredRun run_of(std::int64_t batch, double relu_us) {
    MeasuredRun run{.name = "r", .batch_size = batch, .epochs = 2, .steps = 8};
    run.operators["Relu"].total_us = relu_us;
    return run;
}

PublishedFigure figure(const char* row, const char* system, double value, std::int64_t batch = 96) {
    return {.table = "1",
            .experiment = "m",
            .row = row,
            .system = system,
            .quantity = "time",
            .unit = "us",
            .batch_size = batch,
            .value = value};
}

}  // namespace

TEST_CASE("two ratios agree in direction, in magnitude or not at all") {
    const auto rules = spec();
    using enum Agreement;
    const auto agreement_of = [&rules](std::optional<double> published, std::optional<double> ours,
                                       std::optional<double> least = {}, std::optional<double> greatest = {},
                                       std::int64_t runs = 3) {
        const auto spread =
            ours ? std::optional(Spread{*ours, least.value_or(*ours), greatest.value_or(*ours), runs})
                 : std::nullopt;
        return convoy::agreement_of(published, spread, rules);
    };
    CHECK(agreement_of(1.8, 1.01, 0.99, 1.05) == no_difference);
    CHECK(agreement_of(0.5, 1.01, 0.99, 1.05) == no_difference);
    CHECK(agreement_of(1.8, 1.01, 1.0, 1.05) == no_difference);
    CHECK(agreement_of(1.8, 1.02, 1.01, 1.05) == same_magnitude);
    CHECK(agreement_of(1.08, 1.06, 0.99, 1.1) == same_magnitude);
    CHECK(agreement_of(1.02, 1.3, 0.9, 1.5) == no_difference);
    CHECK(agreement_of(1.02, 1.3, 1.2, 1.5) == differs);
    // Without repeats, ours is even near 1.
    CHECK(agreement_of(1.8, 1.05, {}, {}, 1) == no_difference);
    CHECK(agreement_of(1.8, 1.2, {}, {}, 1) == same_magnitude);
    CHECK(agreement_of(1.8, 0.8, {}, {}, 1) == differs);
    CHECK(agreement_of(2.0, 3.0) == same_magnitude);
    CHECK(agreement_of(0.5, 0.05) == same_magnitude);
    CHECK(agreement_of(0.5, 0.049) == same_direction);
    CHECK(agreement_of(164.0, 2.0) == same_direction);
    CHECK(agreement_of(2.0, 0.5) == differs);
    CHECK(agreement_of(1.04, 0.98) == same_magnitude);
    CHECK(agreement_of(1.06, 0.9) == differs);
    CHECK(agreement_of(1.0, 1.2) == differs);
    CHECK(agreement_of(2.0, std::nullopt) == not_measured);
    CHECK(agreement_of(std::nullopt, 2.0) == no_ratio);
    CHECK(agreement_of(2.0, 0.0) == not_measured);
}

TEST_CASE("published rows stand beside the medians of the runs with their batch size") {
    const OwnRuns runs{.a = {"a", {run_of(96, 8), run_of(96, 12), run_of(96, 40), run_of(192, 99)}},
                       .b = {"b", {run_of(96, 4)}}};
    const std::vector<PublishedFigure> published{figure("Relu", "a", 30), figure("Relu", "b", 10),
                                                 figure("Sum", "b", 1), figure("Sum", "b/a", 4),
                                                 figure("Relu", "a", 7, 384)};
    const std::vector<std::string> tables{"1"};
    const auto rules = spec();
    const auto rows = join(published, "m", tables, {}, rules.measures.at("time"), runs, rules);
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].published_ratio == 3.0);
    CHECK(rows[0].ours_a == Spread{6.0, 4.0, 20.0, 3});
    CHECK(rows[0].ours_b == Spread{2.0, 2.0, 2.0, 1});
    CHECK(rows[0].ours_ratio == Spread{3.0, 2.0, 10.0, 1});
    CHECK(rows[0].agreement == Agreement::same_magnitude);
    CHECK(rows[1].published_ratio == 0.25);
    CHECK(rows[1].agreement == Agreement::not_measured);
    CHECK(rows[2].agreement == Agreement::no_ratio);
    CHECK(join(published, "other", tables, {}, rules.measures.at("time"), runs, rules).empty());
}

TEST_CASE("a ratio of all batch sizes is the median of the ratios at each") {
    const OwnRuns runs{
        .a = {"a", {run_of(96, 20), run_of(96, 20), run_of(192, 300), run_of(384, 6), run_of(768, 1)}},
        .b = {"b", {run_of(96, 10), run_of(96, 40), run_of(192, 100), run_of(384, 3)}}};
    auto all = figure("Relu", "a", 30);
    all.batch_size.reset();
    auto other = figure("Relu", "b", 10);
    other.batch_size.reset();
    const std::vector<PublishedFigure> published{all, other};
    const std::vector<std::string> tables{"1"};
    const auto rules = spec();
    const auto rows = join(published, "m", tables, {}, rules.measures.at("time"), runs, rules);
    REQUIRE(rows.size() == 1);
    // 0.8 (0.5 to 2) at 96, of two runs; 3 at 192 and 2 at 384, of one.
    CHECK(rows[0].ours_ratio == Spread{2.0, 2.0, 2.0, 1});
}

TEST_CASE("a measure is a sum of terms, and absent without one of them") {
    auto run = run_of(96, 8);
    run.operators["Reduce"].total_us = 4;
    run.operators["Reduce"].exchange = CommunicationTimes{40, 30, 20, 10, 5};
    const std::vector<MeasureTerm> terms{
        {.operator_name = "Relu", .per = Per::run},
        {.operator_name = "Reduce", .time = OperatorTime::in_flight, .factor = -1, .per = Per::epoch},
        {.operator_name = "PyFunc", .optional = true}};
    CHECK(measured(run, terms, "") == 8.0 - 20.0);
    const std::vector<MeasureTerm> steps{{.operator_name = "*", .per = Per::step}};
    CHECK(measured(run, steps, "Relu") == 1.0);
    CHECK_FALSE(measured(run, steps, "PyFunc"));
    const std::vector<MeasureTerm> no_exchange{{.operator_name = "Relu", .time = OperatorTime::exposed}};
    CHECK_FALSE(measured(run, no_exchange, ""));
}

TEST_CASE("the cost of the thesis' all-reduce has the time to start it once") {
    const auto published = read_replication(std::string(PUBLISHED_FOLDER) + "/tzavaras");
    MeasuredRun run{.name = "r", .epochs = 1, .steps = 1};
    run.operators["CollectiveReduceStart"].total_us = 5;
    run.operators["CollectiveReduce"].total_us = 15;
    run.operators["CollectiveReduce"].exchange = CommunicationTimes{.in_flight_us = 40, .exposed_us = 20};
    for (const auto* system : {"spark_horovod", "tensorflow"})
        CHECK(measured(run, *published.measures.at("all_reduce_corrected").of(system), "") == 20.0);
}

TEST_CASE("sums of a whole run are divided by all its epochs, whichever are counted") {
    auto run = run_of(96, 8);
    run.all_epochs = 5;
    run.all_steps = 20;
    run.tables["input_pipeline"] = {"input_pipeline",
                                    "",
                                    {columns::count("node"), columns::count("batch_s")},
                                    {{std::int64_t{0}, 30.0}, {std::int64_t{1}, 50.0}}};
    const auto of = [&run](const char* row, Per per) {
        const std::vector<MeasureTerm> terms{
            {.table = "input_pipeline", .column = "batch_s", .row = row, .per = per}};
        return measured(run, terms, "1");
    };
    CHECK(of("", Per::run) == 40.0);
    CHECK(of("", Per::epoch) == 8.0);
    CHECK(of("*", Per::step) == 2.5);
    CHECK_FALSE(of("2", Per::run));
}

TEST_CASE("a row of a table may be named by its first cells") {
    auto run = run_of(96, 8);
    run.tables["operator_totals"] = {
        "operator_totals",
        "",
        {columns::words("phase"), columns::words("operator"), columns::count("calls")},
        {{"train", "MatMul", 30.0}, {"evaluate", "MatMul", 50.0}, {"train", "a/b", 70.0}}};
    const auto of = [&run](const char* row) {
        const std::vector<MeasureTerm> terms{{.table = "operator_totals", .column = "calls", .row = row}};
        return measured(run, terms, "1");
    };
    CHECK(of("train/MatMul") == 30.0);
    CHECK(of("evaluate/MatMul") == 50.0);
    CHECK(of("train/a/b") == 70.0);
    CHECK(of("train") == 50.0);
    CHECK_FALSE(of("MatMul"));
    CHECK_FALSE(of("train/Mat"));
    CHECK_FALSE(of("train/MatMul/30"));
}

TEST_CASE("rows that a run decoded while it trained have the published name") {
    const auto published = read_replication(std::string(PUBLISHED_FOLDER) + "/tzavaras");
    ChosenRun chosen{.results = {}, .epochs = 1, .steps = 1, .nodes = 1};
    OperatorRecord decoding;
    decoding.operator_name = decoding_operator;
    decoding.total_us = 3.0;
    chosen.results.operators = {decoding};
    ReplicationSpec rules = spec();
    rules.names = published.names;
    CHECK(measured_run(chosen, "r", rules).operators.at("PyFunc").total_us == 3.0);
}
