#include "report/run_files.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/json_text.hpp"
#include "base/output_file.hpp"
#include "report/overview.hpp"
#include "report/partial_header.hpp"
#include "report/records_csv.hpp"
#include "report/results_builder.hpp"
#include "report/run_folder_format.hpp"
#include "report/run_page.hpp"
#include "report/summary.hpp"
#include "report/trace.hpp"
#include "report/trace_source.hpp"

namespace convoy {
namespace fs = std::filesystem;

namespace {

/// The loss of a step over the examples of all nodes that have told it, as it lies in a file.
struct StepLoss {
    std::int64_t step = 0, examples = 0;
    double loss = 0.0;
    bool ends_epoch = false;
};

/// Writes a StepLoss for each step, in order of steps. Returns the examples of most steps that end an epoch.
std::int64_t write_losses(const fs::path& file, const JournalFolder& journals, const StepsOfAll& all) {
    std::vector<StepRows> nodes;
    for (const auto rank : journals.ranks()) nodes.emplace_back(journals.records_of(rank));
    OutputFile out(file, OutputFile::Open::fresh);
    std::map<std::int64_t, int> epochs_by_rest;
    StepLoss before;
    std::int64_t epoch = 0;
    const auto write = [&](bool ends_epoch, bool is_sure) {
        if (before.step == 0) return;
        before.ends_epoch = ends_epoch;
        if (ends_epoch && (is_sure || epochs_by_rest.empty())) ++epochs_by_rest[before.examples];
        out.write({reinterpret_cast<const char*>(&before), sizeof before});
    };
    while (true) {
        const StepRecord* next = nullptr;
        for (const auto& node : nodes)
            if (node.get() != nullptr && (next == nullptr || node.get()->step < next->step))
                next = node.get();
        if (next == nullptr || !all.has(*next)) break;
        write(next->epoch != epoch, true);
        epoch = next->epoch;
        StepLoss sum{.step = next->step};
        for (auto& node : nodes) {
            const auto* row = node.get();
            if (row == nullptr || row->step != sum.step) continue;
            // A node without examples has no loss; 0 times NaN would spoil the sum.
            if (row->examples > 0) sum.loss += row->loss * static_cast<double>(row->examples);
            sum.examples += row->examples;
            node.advance();
        }
        if (sum.examples > 0) sum.loss /= static_cast<double>(sum.examples);
        before = sum;
    }
    write(true, all.last_step == StepsOfAll::no_limit);  // else the last epoch may be missing a part
    out.flush();
    std::pair<std::int64_t, int> usual;
    for (const auto& each : epochs_by_rest)
        if (each.second >= usual.second) usual = each;
    return usual.first;
}

/// Reads the file of write_losses. Steps are asked for in ascending order.
class Losses {
  public:
    /// batch, rest: the examples of a step, and of one that ends an epoch. A step with others has no loss,
    /// since a lost node had not told it, or had told it before it was taken again.
    Losses(const fs::path& file, std::int64_t batch, std::int64_t rest)
        : in_(file, std::ios::binary), batch_(batch), rest_(rest) {
        advance();
    }
    std::optional<double> of(std::int64_t step) {
        while (in_ && current_.step < step) advance();
        if (!in_ || current_.step != step) return std::nullopt;
        const bool is_whole =
            current_.examples == batch_ || (current_.ends_epoch && current_.examples == rest_);
        if (!is_whole) return std::nullopt;
        return current_.loss;
    }

  private:
    void advance() { in_.read(reinterpret_cast<char*>(&current_), sizeof current_); }

    std::ifstream in_;
    std::int64_t batch_, rest_;
    StepLoss current_;
};

/// A CSV file that is written row by row.
class CsvFile {
  public:
    CsvFile(fs::path file, std::span<const std::string_view> columns)
        : file_(std::move(file)), out_(name_of_new(file_), OutputFile::Open::fresh), csv_(columns) {}

    template <typename... Values>
    void add(const Values&... values) {
        add_row(csv_, values...);
        out_.write(csv_.take());
    }
    /// Takes the place of a file that grew while the run was under way.
    void finish() {
        out_.write(csv_.take());
        out_.sync();
        publish_new(file_);
    }

  private:
    fs::path file_;
    OutputFile out_;
    CsvWriter csv_;
};

/// One epoch of a node is in memory at a time.
void write_operators(const fs::path& file, const JournalFolder& journals, const StepsOfAll& all) {
    CsvFile csv(file, operators_columns);
    std::vector<OperatorRecord> epoch;
    const auto write_epoch = [&] {
        std::ranges::stable_sort(epoch, {}, &OperatorRecord::phase);
        for (const auto& row : epoch) csv.add(row);
        epoch.clear();
    };
    journals.each(static_cast<std::uint32_t>(RecordKind::operators), [&](const NodeRecords& part) {
        for (const auto& row : part.operators) {
            if (!all.has(row)) continue;
            if (!epoch.empty() && (epoch.back().epoch != row.epoch || epoch.back().node != row.node))
                write_epoch();
            epoch.push_back(row);
        }
    });
    write_epoch();
    csv.finish();
}

void write_steps(const fs::path& file, const JournalFolder& journals, const StepsOfAll& all,
                 const fs::path& losses, std::int64_t batch) {
    const auto rest = write_losses(losses, journals, all);
    CsvFile csv(file, steps_columns);
    for (const auto rank : journals.ranks()) {
        Losses global(losses, batch, rest);
        StepRows rows(journals.records_of(rank));
        for (; rows.get() != nullptr && all.has(*rows.get()); rows.advance())
            csv.add(*rows.get(), global.of(rows.get()->step));
    }
    csv.finish();
    std::error_code ignored;
    fs::remove(losses, ignored);
}

void write_readings(const fs::path& file, const JournalFolder& journals) {
    CsvFile csv(file, system_columns);
    journals.each(static_cast<std::uint32_t>(RecordKind::system), [&csv](const NodeRecords& part) {
        for (const auto& row : part.system) csv.add(row);
    });
    csv.finish();
}

/// Only servers whose workers do not wait for each other make such rows.
void write_updates(const fs::path& file, const JournalFolder& journals) {
    CsvFile csv(file, updates_columns);
    journals.each(static_cast<std::uint32_t>(RecordKind::updates), [&csv](const NodeRecords& part) {
        for (const auto& row : part.updates) csv.add(row);
    });
    csv.finish();
}

/// Only runs that lost nodes have such rows.
void write_failures(const fs::path& file, const std::vector<NodeFailure>& failures) {
    CsvFile csv(file, failures_columns);
    for (const auto& row : failures) csv.add(row);
    csv.finish();
}

void write_trace(const fs::path& file, const TraceSource& source) {
    OutputFile out(file, OutputFile::Open::fresh);
    write_trace_json(source, [&out](std::string_view piece) { out.write(piece); });
    out.sync();
}

/// Text files end in a line feed. One that is there stays whole if its successor has no room.
void write_text(const fs::path& file, const std::string& text) {
    replace_file(file, text.ends_with('\n') ? text : text + "\n");
}

/// The text of an environment with more warnings.
std::string with_warnings(const std::string& environment, const std::vector<std::string>& more) {
    auto parsed = json_or_null(environment);
    if (more.empty() || !parsed.is_object()) return environment;
    auto& warnings = parsed["warnings"];
    if (!warnings.is_array()) warnings = nlohmann::json::array();
    for (const auto& line : more)
        if (std::find(warnings.begin(), warnings.end(), nlohmann::json(line)) == warnings.end())
            warnings.push_back(line);
    return json_text(parsed, 2);
}

}  // namespace

RunResults results_of(const RunResults& header, const JournalFolder& journals, const StepsOfAll& all,
                      std::vector<std::string>* damage) {
    ResultsBuilder builder(header);
    journals.each(
        table_kinds, [&](const NodeRecords& part) { builder.add(all.of(part)); }, damage);
    return builder.finish();
}

WrittenRun write_run_files(const fs::path& folder, const RunRecord& run, const JournalFolder& journals,
                           std::int64_t ranks, const fs::path& scratch) {
    std::vector<std::string> damage;
    const auto all = steps_of_all(journals, ranks, run);
    auto results = results_of(header_of(run), journals, all, &damage);
    if (all.line) damage.push_back(*all.line);
    const auto environment = with_warnings(run.environment, damage);
    write_text(folder / spec_file, run.spec);
    write_text(folder / environment_file, environment);
    CsvFile epochs(folder / epochs_file, epochs_columns);
    for (const auto& row : results.epochs) epochs.add(row);
    epochs.finish();
    CsvFile labels(folder / label_histogram_file, label_histogram_columns);
    for (const auto& row : label_counts(results)) labels.add(row);
    labels.finish();
    write_steps(folder / steps_file, journals, all, scratch / partial_losses, run.batch_size);
    write_operators(folder / operators_file, journals, all);
    write_readings(folder / system_file, journals);
    if (!results.updates.empty()) write_updates(folder / updates_file, journals);
    if (!results.failures.empty()) write_failures(folder / failures_file, results.failures);
    write_trace(folder / trace_file, trace_source(journals, results, environment));
    write_text(folder / report_file, overview_markdown(results));
    const auto time_line = step_time_line(
        journals.ranks(), [&journals](std::int64_t rank) { return journals.slices_of(rank); },
        results.summaries);
    write_text(folder / page_file, run_page(results, run.spec, environment, time_line));
    write_text(folder / summary_file,
               summary_json(results).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return {std::move(results), std::move(damage)};
}

}  // namespace convoy
