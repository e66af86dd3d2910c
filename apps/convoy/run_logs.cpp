#include "run_logs.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "progress_text.hpp"

namespace convoy {

void LoggingObserver::write(std::optional<std::int64_t> rank, LogLevel level, const std::string& text) {
    if (logs_ != nullptr) logs_->write(rank, level, text);
}

void LoggingObserver::on_listening(const std::string& endpoint) {
    write({}, LogLevel::info, "nodes join at " + endpoint);
    next_.on_listening(endpoint);
}

void LoggingObserver::on_progress(const NodeProgress& progress) {
    next_.on_progress(progress);
    auto doing = phase_text(progress);
    if (logs_ == nullptr || std::exchange(told_phases_[progress.rank], doing) == doing) return;
    if (progress.phase == phase::evaluate && progress.examples > 0)
        doing += fmt::format("; step {}, loss {:.4f}, accuracy {:.4f}, {:.0f} examples/s", progress.step,
                             progress.loss, progress.accuracy, progress.examples_per_second);
    write(progress.rank, LogLevel::info, doing);
}

void LoggingObserver::on_node_lost(const LostNode& lost) {
    write({}, LogLevel::error, lost.cause);
    if (lost.rank) write(lost.rank, LogLevel::error, "lost: " + lost.cause);
    next_.on_node_lost(lost);
}

void LoggingObserver::on_fault(const ComingFault& fault) {
    write(fault.rank, LogLevel::warning, fmt::format("fault of the spec: {}", fault_name(fault.kind)));
    next_.on_fault(fault);
}

void LoggingObserver::on_agreed() {
    write({}, LogLevel::info, "all nodes have agreed on their work");
    next_.on_agreed();
}

void LoggingObserver::on_interrupted() {
    write({}, LogLevel::warning, "a signal came that ends the run");
    next_.on_interrupted();
}

void LoggingObserver::on_goes_on(const GoesOn& goes_on) {
    told_phases_.clear();
    for (std::size_t rank = 0; rank < goes_on.places.size(); ++rank)
        write(static_cast<std::int64_t>(rank), LogLevel::info,
              fmt::format("from here on, node {} is the one that began as node {}", rank,
                          goes_on.places[rank]));
    next_.on_goes_on(goes_on);
}

void LoggingObserver::on_node_line(std::int64_t rank, const std::string& line) {
    write(rank, LogLevel::warning, line);
    next_.on_node_line(rank, line);
}

void LoggingObserver::on_notice(const std::string& line) {
    constexpr std::string_view warning = "warning: ";
    if (line.starts_with(warning)) {
        write({}, LogLevel::warning, line.substr(warning.size()));
    } else {
        write({}, LogLevel::info, line);
    }
    next_.on_notice(line);
}

void LoggingObserver::on_detail(const std::string& line) {
    write({}, LogLevel::debug, line);
    next_.on_detail(line);
}

}  // namespace convoy
