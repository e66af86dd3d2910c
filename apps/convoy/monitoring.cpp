#include "monitoring.hpp"

#include <fmt/format.h>

#include <charconv>
#include <system_error>
#include <utility>

#include "base/console.hpp"
#include "base/error.hpp"
#include "cluster/endpoint.hpp"
#include "command_line.hpp"
#include "net/interface.hpp"

namespace convoy {

namespace options = boost::program_options;

namespace {

std::uint16_t port_given(const options::variables_map& given) {
    const auto& text = given["metrics-port"].as<std::string>();
    std::uint16_t port = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (problem != std::errc{} || end != text.data() + text.size())
        throw UsageError(fmt::format("--metrics-port: found \"{}\", expected a port from 0 to 65535", text));
    return port;
}

MetricsPlaces metrics_places_given(const options::variables_map& given) {
    MetricsPlaces places;
    if (given.contains("metrics-port")) {
        const auto address =
            given.contains("metrics-address") ? given["metrics-address"].as<std::string>() : "127.0.0.1";
        places.listen = {naming_option("metrics-address", [&] { return resolve_interface(address); }),
                         port_given(given)};
    } else if (given.contains("metrics-address")) {
        throw UsageError("--metrics-address: goes with --metrics-port");
    }
    if (const auto file = new_file_given(given, "metrics-file")) places.file = *file;
    return places;
}

}  // namespace

options::options_description monitoring_options_described() {
    auto described = option_group("following a run from outside");
    described.add_options()  //
        ("metrics-port", options::value<std::string>()->value_name("PORT"),
         "answers http://127.0.0.1:PORT/metrics with the run's metrics for Prometheus; 0: any free port, "
         "which it says")  //
        ("metrics-address", options::value<std::string>()->value_name("ADDRESS"),
         "with --metrics-port: an address, a name or a CIDR of an interface of this machine, else "
         "127.0.0.1")  //
        ("metrics-file", options::value<std::string>()->value_name("FILE.prom"),
         "holds the metrics, and is replaced every few seconds")  //
        ("log-dir", options::value<std::string>()->value_name("DIR"),
         "gets launcher.log and a log of each node")  //
        ("log-level", options::value<std::string>()->value_name("LEVEL"),
         "with --log-dir: error, warning, info or debug, else info");
    return described;
}

MonitoringPlaces monitoring_places_given(const options::variables_map& given) {
    MonitoringPlaces places{.metrics = metrics_places_given(given)};
    if (const auto folder = path_given(given, "log-dir")) {
        places.logs = *folder;
    } else if (given.contains("log-level")) {
        throw UsageError("--log-level: goes with --log-dir");
    }
    if (!given.contains("log-level")) return places;
    const auto& name = given["log-level"].as<std::string>();
    const auto level = level_named(name);
    if (!level) refuse_word("--log-level", name, "error, warning, info or debug");
    places.log_level = *level;
    return places;
}

Monitoring::Monitoring(const MetricsPlaces& places, RunLabels labels, std::int64_t ranks,
                       const JournalFolder& journals, const std::vector<NodeFailure>& failures)
    : failures_(failures),
      monitor_(std::move(labels), ranks),
      export_(places, [this] { return monitor_.text(); }) {
    monitor_.begin(journals);
    note_failures();
    if (const auto& endpoint = export_.endpoint())
        say(fmt::format("metrics at http://{}/metrics", endpoint_text(*endpoint)));
}

Monitoring::~Monitoring() {
    if (!ended_) monitor_.set_stage(interrupted_ ? RunStage::interrupted : RunStage::failed);
}

void Monitoring::end(RunStatus status, const Voice& voice) {
    ended_ = true;
    monitor_.set_stage(status == RunStatus::done ? RunStage::done : RunStage::interrupted);
    if (const auto problem = export_.problem()) voice.warn("metrics: " + *problem);
}

void MonitoringObserver::on_progress(const NodeProgress& progress) {
    if (monitoring_ != nullptr) monitoring_->monitor().note(progress);
    next_.on_progress(progress);
}

void MonitoringObserver::on_node_lost(const LostNode& lost) {
    if (monitoring_ != nullptr) monitoring_->note_failures();
    next_.on_node_lost(lost);
}

void MonitoringObserver::on_fault(const ComingFault& fault) {
    if (monitoring_ != nullptr) monitoring_->note_failures();
    next_.on_fault(fault);
}

void MonitoringObserver::on_interrupted() {
    if (monitoring_ != nullptr) monitoring_->note_interrupted();
    next_.on_interrupted();
}

void MonitoringObserver::on_goes_on(const GoesOn& goes_on) {
    if (monitoring_ != nullptr) monitoring_->monitor().set_ranks(goes_on.nodes);
    next_.on_goes_on(goes_on);
}

}  // namespace convoy
