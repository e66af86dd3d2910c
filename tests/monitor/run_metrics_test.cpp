#include "monitor/run_metrics.hpp"

#include "base/temporary_folder.hpp"

#include "monitor/run_monitor.hpp"
#include "promtool.hpp"
#include "report/example_run.hpp"

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

RunLabels example_labels() {
    return {.run = "first",
            .run_id = "0123456789ab",
            .name = "example \"a\"",
            .version = "1",
            .start_time_s = 2.5};
}

RunFigures example_figures() {
    RunFigures figures;
    figures.ranks = 2;
    for (const auto& [node, records] : by_node(example_run().records)) figures.add(records);
    for (std::int64_t rank = 0; rank < 2; ++rank) {
        NodeProgress progress;
        progress.rank = rank;
        progress.phase = phase::train;
        progress.epoch = 1;
        progress.epochs = 1;
        progress.step = 2;
        progress.steps = 2;
        progress.loss = 1.25;
        progress.accuracy = 0.5;
        progress.examples = 20;
        progress.examples_per_second = 100;
        figures.note(progress);
    }
    NodeRecords updates;
    updates.updates.push_back({.node = 1, .update = 1, .worker = 0, .step = 1, .version = 0, .staleness = 3});
    figures.add(updates);
    figures.failures = {{"", 1}, {"kill", 2}};
    return figures;
}

}  // namespace

TEST_CASE("Prometheus' parser reads all metrics of a run, and finds nothing wrong with their names") {
    const auto text = run_metrics_text(example_figures(), example_labels(), RunStage::begun);
    test::require_good_metrics(text);
    for (const auto& metric : metric_list()) {
        INFO(metric.name);
        CHECK_THAT(text, Contains(std::string(metric.name) + "{run=\"first\""));
    }
}

TEST_CASE("the metrics of a run have the values of its records") {
    const auto text = run_metrics_text(example_figures(), example_labels(), RunStage::begun);
    for (
        const auto* line : {
            R"(convoy_run_info{run="first",run_id="0123456789ab",name="example \"a\"",version="1"} 1)",
            R"(convoy_run_start_time_seconds{run="first"} 2.5)",
            R"(convoy_run_phase{run="first",phase="train"} 1)",
            R"(convoy_run_phase{run="first",phase="done"} 0)",
            R"(convoy_run_nodes{run="first"} 2)",
            R"(convoy_run_planned_steps{run="first"} 2)",
            R"(convoy_run_loss{run="first"} 1.25)",
            R"(convoy_run_examples_per_second{run="first"} 100)",
            R"(convoy_run_epochs_total{run="first"} 1)",
            R"(convoy_run_failures_total{run="first",fault="none"} 1)",
            R"(convoy_run_failures_total{run="first",fault="kill"} 2)",
            R"(convoy_epoch_accuracy{run="first",split="test"} 0.8)",
            R"(convoy_epoch_train_seconds{run="first"} 2.5)",
            R"(convoy_node_phase{run="first",node="1",phase="train"} 1)",
            R"(convoy_node_steps_total{run="first",node="1"} 2)",
            R"(convoy_node_examples_total{run="first",node="1"} 40)",
            R"(convoy_node_correct_examples_total{run="first",node="1"} 8)",
            R"(convoy_node_step_seconds_total{run="first",node="1"} 0.0025)",
            R"(convoy_node_compute_seconds_total{run="first",node="1"} 0.001)",
            R"(convoy_node_wait_seconds_total{run="first",node="1"} 0.0005)",
            R"(convoy_node_operator_seconds_total{run="first",node="0",phase="train",operator="_FusedConv2D"} 0.0006)",
            R"(convoy_node_exchange_seconds_total{run="first",node="0",part="exposed"} 0.0002)",
            R"(convoy_node_cpu_cores{run="first",node="0",mode="user"} 0.7)",
            R"(convoy_node_machine_cpu_ratio{run="first",node="0",state="idle"} 0.4)",
            R"(convoy_node_resident_memory_bytes{run="first",node="0"} 120000000)",
            R"(convoy_node_peak_resident_memory_bytes{run="first",node="0"} 130000000)",
            R"(convoy_node_sent_bytes_total{run="first",node="0"} 4000)",
            R"(convoy_node_updates_total{run="first",node="0"} 1)",
            R"(convoy_node_staleness_total{run="first",node="0"} 3)",
            R"(convoy_node_phase_seconds_total{run="first",node="1",phase="read"} 0.5)",
            R"(convoy_node_cpu_seconds_total{run="first",node="1",mode="user"} 2)",
        })
        CHECK_THAT(text, Contains(std::string(line) + "\n"));
}

TEST_CASE("metrics of a run that has just begun, and of one that has ended") {
    const RunFigures none;
    const auto begins = run_metrics_text(none, example_labels(), RunStage::begun);
    test::require_good_metrics(begins);
    CHECK_THAT(begins, Contains("convoy_run_phase{run=\"first\",phase=\"start\"} 1\n"));
    const auto failed = run_metrics_text(example_figures(), example_labels(), RunStage::failed);
    CHECK_THAT(failed, Contains("phase=\"failed\"} 1\n") && Contains("phase=\"train\"} 0\n"));
}

TEST_CASE("a monitor hands records on, and begins again with those of journals") {
    const TemporaryFolder folder;
    auto run = example_run();
    PartialRun partial(folder / "out", run, 2, 2, PartialRun::Open::fresh);
    RunMonitor monitor(example_labels(), 2);
    MonitoredSink sink(partial, monitor);
    for (auto& [node, records] : by_node(run.records)) sink.take(node, records);
    const auto text = monitor.text();
    CHECK_THAT(text, Contains("convoy_node_steps_total{run=\"first\",node=\"1\"} 2\n"));
    monitor.begin(partial.journals());
    CHECK(monitor.text() == text);
    monitor.set_stage(RunStage::done);
    CHECK_THAT(monitor.text(), Contains("phase=\"done\"} 1\n"));
}
