#include "monitor/run_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "monitor/hold_ups.hpp"
#include "report/run_folder_format.hpp"

namespace convoy {

namespace {

using enum MetricType;

constexpr std::array all_metrics{
    MetricInfo{"convoy_run_info", gauge, "", "run_id, name, version", "A run that is under way; always 1"},
    MetricInfo{"convoy_run_start_time_seconds", gauge, "seconds", "", "Start of the command, since 1970"},
    MetricInfo{"convoy_run_phase", gauge, "", "phase",
               "1 for the phase of the first node that computes a loss, or for how the run ended"},
    MetricInfo{"convoy_run_nodes", gauge, "", "", "Nodes that the run has now, servers included"},
    MetricInfo{"convoy_run_planned_epochs", gauge, "", "", "Epochs of the whole run"},
    MetricInfo{"convoy_run_planned_steps", gauge, "", "", "Training steps of the whole run"},
    MetricInfo{"convoy_run_epoch", gauge, "", "", "Epoch under way, counted from 1"},
    MetricInfo{"convoy_run_step", gauge, "", "", "Last training step, counted from 1"},
    MetricInfo{"convoy_run_loss", gauge, "", "",
               "Loss of the first node that computes one, mean over its examples of the epoch so far"},
    MetricInfo{"convoy_run_accuracy", gauge, "", "", "Accuracy of the same node over the same examples"},
    MetricInfo{"convoy_run_examples_per_second", gauge, "", "",
               "Training examples in a second, of all nodes together, mean of the epoch so far"},
    MetricInfo{"convoy_run_epochs_total", counter, "", "", "Epochs that all nodes have told"},
    MetricInfo{"convoy_run_failures_total", counter, "", "fault",
               "Lost nodes and faults of the spec, by kind of fault; none: a node was lost without one"},
    MetricInfo{"convoy_epoch_loss", gauge, "", "split", "Loss of the last epoch that all nodes have told"},
    MetricInfo{"convoy_epoch_accuracy", gauge, "", "split", "Accuracy of the same epoch"},
    MetricInfo{"convoy_epoch_train_seconds", gauge, "seconds", "",
               "Training time of the same epoch, of the slowest node"},
    MetricInfo{"convoy_epoch_evaluate_seconds", gauge, "seconds", "",
               "Evaluation time of the same epoch, of the slowest node"},
    MetricInfo{"convoy_node_phase", gauge, "", "node, phase", "1 for the phase of the node"},
    MetricInfo{"convoy_node_step", gauge, "", "node", "Last training step of the node, counted from 1"},
    MetricInfo{"convoy_node_waited_for", gauge, "", "node",
               "1 if the other nodes wait for this node, else 0"},
    MetricInfo{"convoy_node_loss", gauge, "", "node", "Loss of the node's examples in its last told step"},
    MetricInfo{"convoy_node_steps_total", counter, "", "node", "Training steps that the node has told"},
    MetricInfo{"convoy_node_examples_total", counter, "", "node", "Examples of the node in these steps"},
    MetricInfo{"convoy_node_correct_examples_total", counter, "", "node",
               "Examples of the node in these steps whose class was right"},
    MetricInfo{"convoy_node_step_seconds_total", counter, "seconds", "node", "Time of these steps"},
    MetricInfo{"convoy_node_compute_seconds_total", counter, "seconds", "node",
               "Part of these steps in which the node computed"},
    MetricInfo{"convoy_node_wait_seconds_total", counter, "seconds", "node",
               "Part of these steps in which the node waited for peers or data"},
    MetricInfo{"convoy_node_operator_seconds_total", counter, "seconds", "node, phase, operator",
               "Time of the operators of a name, told at the end of each epoch"},
    MetricInfo{"convoy_node_exchange_seconds_total", counter, "seconds", "node, part",
               "Times of the exchanges of training, told at the end of each epoch"},
    MetricInfo{"convoy_node_cpu_cores", gauge, "", "node, mode",
               "Cores that the node kept busy, up to its last reading of /proc"},
    MetricInfo{"convoy_node_machine_cpu_ratio", gauge, "", "node, state",
               "Part of the time in which the cores of the node's machine were idle, up to the same reading"},
    MetricInfo{"convoy_node_resident_memory_bytes", gauge, "bytes", "node",
               "Memory of the node at the same reading"},
    MetricInfo{"convoy_node_peak_resident_memory_bytes", gauge, "bytes", "node",
               "Largest reading of the node's memory; at its end the peak that the system counted"},
    MetricInfo{"convoy_node_sent_bytes_total", counter, "bytes", "node",
               "Bytes that the node has sent over its own connections"},
    MetricInfo{"convoy_node_received_bytes_total", counter, "bytes", "node",
               "Bytes that the node has received over its own connections"},
    MetricInfo{"convoy_node_updates_total", counter, "", "node",
               "Updates that servers made from the node's gradients, where workers take steps apart"},
    MetricInfo{"convoy_node_staleness_total", counter, "", "node", "Sum of the staleness of these updates"},
    MetricInfo{"convoy_node_phase_seconds_total", counter, "seconds", "node, phase",
               "Time of the node in a phase of its job, told at its end"},
    MetricInfo{"convoy_node_cpu_seconds_total", counter, "seconds", "node, mode",
               "Processor time of the node, told at its end"},
};

constexpr std::array node_phases{phase::read, phase::connect, phase::prepare, phase::train, phase::evaluate};

std::string_view name_of(RunStage stage) {
    switch (stage) {
        case RunStage::begun: return "";
        case RunStage::done: return "done";
        case RunStage::interrupted: return "interrupted";
        case RunStage::failed: return "failed";
    }
    throw InternalError("a stage of a run without a name");
}

/// The families of the list, which are filled by name.
class Families {
  public:
    Families() : families_(all_metrics.size()) {
        for (std::size_t i = 0; i < all_metrics.size(); ++i) families_[i].info = &all_metrics.at(i);
    }
    /// name: without "convoy_".
    void add(std::string_view name, double value, MetricLabels labels = {}) {
        const auto is_it = [&](const MetricFamily& each) {
            return each.info->name.substr(std::string_view("convoy_").size()) == name;
        };
        const auto found = std::ranges::find_if(families_, is_it);
        if (found == families_.end()) throw InternalError(fmt::format("no metric is called {}", name));
        found->values.push_back({.labels = std::move(labels), .value = value});
    }
    void add(std::string_view name, std::int64_t value, MetricLabels labels = {}) {
        add(name, static_cast<double>(value), std::move(labels));
    }
    void add(std::string_view name, std::uint64_t value, MetricLabels labels = {}) {
        add(name, static_cast<double>(value), std::move(labels));
    }
    std::vector<MetricFamily> take() { return std::move(families_); }

  private:
    std::vector<MetricFamily> families_;
};

void add_run(Families& all, const RunFigures& figures, const RunLabels& labels, RunStage stage) {
    all.add("run_info", 1.0, {{"run_id", labels.run_id}, {"name", labels.name}, {"version", labels.version}});
    all.add("run_start_time_seconds", labels.start_time_s);
    all.add("run_nodes", figures.ranks);
    const auto* const shown = figures.shown();
    const auto end = name_of(stage);
    const auto now = !end.empty() ? end : shown == nullptr ? std::string_view("start") : shown->phase;
    std::vector<std::string_view> phases{"start"};
    phases.insert(phases.end(), node_phases.begin(), node_phases.end());
    for (const auto each : {RunStage::done, RunStage::interrupted, RunStage::failed})
        phases.push_back(name_of(each));
    for (const auto each : phases)
        all.add("run_phase", each == now ? 1.0 : 0.0, {{"phase", std::string(each)}});
    for (const auto& [fault, count] : figures.failures)
        all.add("run_failures_total", count, {{"fault", fault.empty() ? "none" : fault}});
    all.add("run_epochs_total", figures.last_epoch);
    if (shown == nullptr) return;
    if (shown->epochs > 0) all.add("run_planned_epochs", shown->epochs);
    if (shown->steps > 0) all.add("run_planned_steps", shown->steps);
    all.add("run_epoch", shown->epoch);
    all.add("run_step", shown->step);
    if (shown->examples == 0) return;
    all.add("run_loss", shown->loss);
    all.add("run_accuracy", shown->accuracy);
    all.add("run_examples_per_second", shown->examples_per_second);
}

void add_epoch(Families& all, const EpochRecord& epoch) {
    const auto add = [&all](const char* split, const std::optional<double>& loss,
                            const std::optional<double>& accuracy) {
        if (loss) all.add("epoch_loss", *loss, {{"split", split}});
        if (accuracy) all.add("epoch_accuracy", *accuracy, {{"split", split}});
    };
    add("train", epoch.train_loss, epoch.train_accuracy);
    add("validation", epoch.validation_loss, epoch.validation_accuracy);
    add("test", epoch.test_loss, epoch.test_accuracy);
    all.add("epoch_train_seconds", epoch.train_s);
    all.add("epoch_evaluate_seconds", epoch.evaluate_s);
}

void add_steps(Families& all, const std::string& rank, const NodeFigures& node) {
    if (!node.recent.empty()) all.add("node_loss", node.recent.back().loss, {{"node", rank}});
    all.add("node_steps_total", node.steps, {{"node", rank}});
    all.add("node_examples_total", node.examples, {{"node", rank}});
    all.add("node_correct_examples_total", node.correct, {{"node", rank}});
    all.add("node_step_seconds_total", node.step_us / 1e6, {{"node", rank}});
    all.add("node_compute_seconds_total", node.compute_us / 1e6, {{"node", rank}});
    all.add("node_wait_seconds_total", node.wait_us / 1e6, {{"node", rank}});
    if (node.updates == 0) return;
    all.add("node_updates_total", node.updates, {{"node", rank}});
    all.add("node_staleness_total", node.staleness, {{"node", rank}});
}

void add_operators(Families& all, const std::string& rank, const NodeFigures& node) {
    for (const auto& [key, us] : node.operators_us) {
        const auto phase = phase_names.at(static_cast<std::size_t>(key.first));
        all.add("node_operator_seconds_total", us / 1e6,
                {{"node", rank}, {"phase", std::string(phase)}, {"operator", key.second}});
    }
    if (!node.exchanges) return;
    const auto add = [&](const char* part, double us) {
        all.add("node_exchange_seconds_total", us / 1e6, {{"node", rank}, {"part", part}});
    };
    add("in_flight", node.exchanges->in_flight_us);
    add("hidden", node.exchanges->hidden_us);
    add("exposed", node.exchanges->exposed_us);
    add("skew", node.exchanges->skew_us);
    add("exposed_skew", node.exchanges->exposed_skew_us);
}

void add_system(Families& all, const std::string& rank, const NodeFigures& node) {
    if (node.reading) {
        const auto& reading = *node.reading;
        all.add("node_cpu_cores", reading.cpu_user_pct / 100.0, {{"node", rank}, {"mode", "user"}});
        all.add("node_cpu_cores", reading.cpu_system_pct / 100.0, {{"node", rank}, {"mode", "system"}});
        if (reading.cpu_idle_pct)
            all.add("node_machine_cpu_ratio", *reading.cpu_idle_pct / 100.0,
                    {{"node", rank}, {"state", "idle"}});
        all.add("node_machine_cpu_ratio", reading.cpu_iowait_pct / 100.0,
                {{"node", rank}, {"state", "iowait"}});
        all.add("node_resident_memory_bytes", reading.resident_bytes, {{"node", rank}});
    }
    if (!node.reading && !node.summary) return;
    all.add("node_peak_resident_memory_bytes", node.peak_resident_bytes, {{"node", rank}});
    if (node.sent_bytes) all.add("node_sent_bytes_total", *node.sent_bytes, {{"node", rank}});
    if (node.received_bytes) all.add("node_received_bytes_total", *node.received_bytes, {{"node", rank}});
}

void add_summary(Families& all, const std::string& rank, const NodeSummary& summary) {
    const auto add = [&](const char* phase, double seconds) {
        all.add("node_phase_seconds_total", seconds, {{"node", rank}, {"phase", phase}});
    };
    add("read", summary.read_s);
    add("preprocess", summary.preprocess_s);
    add("train", summary.train_s);
    add("evaluate", summary.evaluate_s);
    add("checkpoint", summary.checkpoint_s);
    all.add("node_cpu_seconds_total", summary.cpu_user_s, {{"node", rank}, {"mode", "user"}});
    all.add("node_cpu_seconds_total", summary.cpu_system_s, {{"node", rank}, {"mode", "system"}});
}

void add_progress(Families& all, const std::string& rank, const NodeProgress& progress) {
    for (const auto* const each : node_phases)
        all.add("node_phase", each == progress.phase ? 1.0 : 0.0, {{"node", rank}, {"phase", each}});
    all.add("node_step", progress.step, {{"node", rank}});
}

}  // namespace

std::span<const MetricInfo> metric_list() {
    return all_metrics;
}

std::vector<MetricFamily> run_metrics(const RunFigures& figures, const RunLabels& labels, RunStage stage) {
    Families all;
    add_run(all, figures, labels, stage);
    if (const auto epoch = figures.epoch()) add_epoch(all, *epoch);
    const auto awaited = hold_ups(figures);
    for (const auto& [rank, node] : figures.nodes) {
        const auto text = std::to_string(rank);
        if (node.progress) add_progress(all, text, *node.progress);
        if (rank < figures.ranks)
            all.add("node_waited_for", std::ranges::count(awaited, rank, &HoldUp::node) > 0 ? 1.0 : 0.0,
                    {{"node", text}});
        add_steps(all, text, node);
        add_operators(all, text, node);
        add_system(all, text, node);
        if (node.summary) add_summary(all, text, *node.summary);
    }
    return all.take();
}

std::string run_metrics_text(const RunFigures& figures, const RunLabels& labels, RunStage stage) {
    return exposition_text(run_metrics(figures, labels, stage), {{"run", labels.run}});
}

}  // namespace convoy
