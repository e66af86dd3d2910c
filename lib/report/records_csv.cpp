#include "report/records_csv.hpp"

#include <algorithm>
#include <limits>

#include "report/run_folder_format.hpp"

namespace convoy {

namespace {

constexpr int us_decimals = 3;
constexpr int s_decimals = 6;
constexpr int pct_decimals = 3;

/// The current row of CsvRows, read by the columns' names.
class Row {
  public:
    explicit Row(const CsvRows& rows) : table_(rows) {}

    [[nodiscard]] const std::string& text(std::string_view name) const {
        return table_.text(table_.column(name));
    }
    [[nodiscard]] bool empty(std::string_view name) const { return text(name).empty(); }
    [[nodiscard]] std::int64_t count(std::string_view name) const {
        return table_.count(table_.column(name));
    }
    /// A number of bytes; absent if the cell is empty.
    [[nodiscard]] std::optional<std::uint64_t> bytes_if_known(std::string_view name) const {
        if (empty(name)) return std::nullopt;
        return static_cast<std::uint64_t>(count(name));
    }
    [[nodiscard]] double amount(std::string_view name) const { return table_.amount(table_.column(name)); }
    [[nodiscard]] std::optional<double> figure(std::string_view name) const {
        return table_.figure(table_.column(name));
    }
    /// A figure of a column that folders of older versions do not have.
    [[nodiscard]] std::optional<double> later_figure(std::string_view name) const {
        return has(name) ? figure(name) : std::nullopt;
    }
    /// Whether the file has a column, which those of older versions may lack.
    [[nodiscard]] bool has(std::string_view name) const {
        return std::ranges::count(table_.header(), name) > 0;
    }
    [[noreturn]] void fail(std::string_view name, std::string_view expected) const {
        table_.fail(table_.column(name), expected);
    }

  private:
    const CsvRows& table_;
};

template <typename Record>
void read_rows(std::istream& text, const std::string& source, Record (*read)(const Row&),
               const std::function<void(const Record&)>& take) {
    CsvRows rows(text, source);
    while (rows.next()) take(read(Row(rows)));
}

OperatorRecord read_operator(const Row& row) {
    OperatorRecord record;
    record.node = row.count("node");
    record.epoch = row.count("epoch");
    const auto& phase = row.text("phase");
    const auto known = std::ranges::find(phase_names, phase);
    if (known == phase_names.end()) row.fail("phase", "train, evaluate or checkpoint");
    record.phase = static_cast<RunPhase>(known - phase_names.begin());
    record.operator_name = row.text("operator");
    record.name = row.text("name");
    if (row.has("kind")) {
        record.pass = row.text("pass");
        record.kind = row.text("kind");
    }
    if (!row.empty("folded_into")) {
        record.folded_into = row.text("folded_into");
        return record;
    }
    record.calls = row.count("calls");
    record.total_us = row.amount("total_us");
    record.mean_us = row.amount("mean_us");
    record.p50_us = row.amount("p50_us");
    record.p99_us = row.amount("p99_us");
    if (row.has("flops") && !row.empty("flops")) {
        record.work = WorkDone{.flops = row.count("flops"),
                               .read_bytes = row.count("read_bytes"),
                               .written_bytes = row.count("written_bytes")};
    }
    if (row.empty("in_flight_us")) return record;
    record.communication =
        CommunicationTimes{.in_flight_us = row.amount("in_flight_us"),
                           .hidden_us = row.amount("hidden_us"),
                           .exposed_us = row.amount("exposed_us"),
                           .skew_us = row.amount("skew_us"),
                           .exposed_skew_us = row.later_figure("exposed_skew_us").value_or(0.0)};
    return record;
}

StepRecord read_step(const Row& row) {
    return {.node = row.count("node"),
            .epoch = row.count("epoch"),
            .step = row.count("step"),
            .loss = row.figure("loss").value_or(std::numeric_limits<double>::quiet_NaN()),
            .correct = row.count("correct"),
            .examples = row.count("examples"),
            .step_us = row.amount("step_us"),
            .compute_us = row.amount("compute_us"),
            .wait_us = row.amount("wait_us"),
            .gradient_norm = row.later_figure("gradient_norm"),
            .penalty = row.later_figure("penalty"),
            .core_look_us = row.later_figure("core_look_us")};
}

EpochRecord read_epoch(const Row& row) {
    return {.epoch = row.count("epoch"),
            .train_loss = row.figure("train_loss"),
            .train_accuracy = row.figure("train_accuracy"),
            .validation_loss = row.figure("validation_loss"),
            .validation_accuracy = row.figure("validation_accuracy"),
            .test_loss = row.figure("test_loss"),
            .test_accuracy = row.figure("test_accuracy"),
            .train_s = row.amount("train_s"),
            .evaluate_s = row.amount("evaluate_s")};
}

SystemSample read_sample(const Row& row) {
    return {.node = row.count("node"),
            .time_s = row.amount("time_s"),
            .cpu_user_pct = row.amount("cpu_user_pct"),
            .cpu_system_pct = row.amount("cpu_system_pct"),
            .cpu_iowait_pct = row.amount("cpu_iowait_pct"),
            .resident_bytes = static_cast<std::uint64_t>(row.count("resident_bytes")),
            .sent_bytes = row.bytes_if_known("sent_bytes"),
            .received_bytes = row.bytes_if_known("received_bytes"),
            .cpu_idle_pct = row.later_figure("cpu_idle_pct"),
            .clock_us = {},
            .machine_used_bytes =
                row.has("machine_used_bytes") ? row.bytes_if_known("machine_used_bytes") : std::nullopt};
}

UpdateRecord read_update(const Row& row) {
    return {.node = row.count("node"),
            .update = row.count("update"),
            .worker = row.count("worker"),
            .step = row.count("step"),
            .version = row.count("version"),
            .staleness = row.count("staleness"),
            .ahead = row.count("ahead")};
}

}  // namespace

std::string_view phase_name(RunPhase phase) {
    return phase_names.at(static_cast<std::size_t>(phase));
}

void add_row(CsvWriter& csv, const OperatorRecord& row) {
    csv.integer(row.node)
        .integer(row.epoch)
        .text(phase_name(row.phase))
        .text(row.operator_name)
        .text(row.name);
    if (row.folded_into) {
        csv.empty(8).text(*row.folded_into).empty(2);
    } else {
        csv.integer(row.calls);
        for (const auto value : {row.total_us, row.mean_us, row.p50_us, row.p99_us})
            csv.fixed(value, us_decimals);
        if (const auto& times = row.communication) {
            csv.fixed(times->in_flight_us, us_decimals).fixed(times->hidden_us, us_decimals);
            csv.fixed(times->exposed_us, us_decimals).empty().fixed(times->skew_us, us_decimals);
            csv.fixed(times->exposed_skew_us, us_decimals);
        } else {
            csv.empty(6);
        }
    }
    csv.text(row.pass).text(row.kind);
    if (row.work) {
        csv.integer(row.work->flops).integer(row.work->read_bytes).integer(row.work->written_bytes);
    } else {
        csv.empty(3);
    }
    csv.end_row();
}

void add_row(CsvWriter& csv, const StepRecord& row, const std::optional<double>& global_loss) {
    csv.integer(row.node).integer(row.epoch).integer(row.step).figure(row.loss).integer(row.examples);
    csv.fixed(row.step_us, us_decimals).fixed(row.compute_us, us_decimals).fixed(row.wait_us, us_decimals);
    csv.integer(row.correct).figure(global_loss).figure(row.gradient_norm).figure(row.penalty);
    csv.fixed_if_known(row.core_look_us, us_decimals);
    csv.end_row();
}

void add_row(CsvWriter& csv, const EpochRecord& row) {
    csv.integer(row.epoch).figure(row.train_loss).figure(row.train_accuracy);
    csv.figure(row.validation_loss).figure(row.validation_accuracy);
    csv.figure(row.test_loss).figure(row.test_accuracy);
    csv.fixed(row.train_s, s_decimals).fixed(row.evaluate_s, s_decimals);
    csv.end_row();
}

void add_row(CsvWriter& csv, const SystemSample& row) {
    csv.integer(row.node).fixed(row.time_s, s_decimals).fixed(row.cpu_user_pct, pct_decimals);
    csv.fixed(row.cpu_system_pct, pct_decimals).fixed(row.cpu_iowait_pct, pct_decimals);
    csv.integer(row.resident_bytes).integer_if_known(row.sent_bytes).integer_if_known(row.received_bytes);
    csv.fixed_if_known(row.cpu_idle_pct, pct_decimals).integer_if_known(row.machine_used_bytes);
    csv.end_row();
}

void add_row(CsvWriter& csv, const LabelCount& row) {
    csv.integer(row.node).integer(row.label).integer(row.examples);
    csv.end_row();
}

void add_row(CsvWriter& csv, const UpdateRecord& row) {
    csv.integer(row.node).integer(row.update).integer(row.worker).integer(row.step);
    csv.integer(row.version).integer(row.staleness).integer(row.ahead);
    csv.end_row();
}

void add_row(CsvWriter& csv, const NodeFailure& row) {
    csv.text(row.time).integer_if_known(row.node).integer(row.step).text(row.cause);
    csv.fixed_if_known(row.detected_after_s, s_decimals).fixed_if_known(row.first_step_after_s, s_decimals);
    csv.integer(row.steps_lost).fixed_if_known(row.replaced_after_s, s_decimals);
    csv.text(row.fault).integer_if_known(row.fault_step).fixed_if_known(row.agreed_after_s, s_decimals);
    csv.integer(row.examples_lost);
    csv.end_row();
}

void read_operators_csv(std::istream& text, const std::string& source,
                        const std::function<void(const OperatorRecord&)>& take) {
    read_rows(text, source, read_operator, take);
}
void read_steps_csv(std::istream& text, const std::string& source,
                    const std::function<void(const StepRecord&)>& take) {
    read_rows(text, source, read_step, take);
}
void read_epochs_csv(std::istream& text, const std::string& source,
                     const std::function<void(const EpochRecord&)>& take) {
    read_rows(text, source, read_epoch, take);
}
void read_system_csv(std::istream& text, const std::string& source,
                     const std::function<void(const SystemSample&)>& take) {
    read_rows(text, source, read_sample, take);
}
void read_updates_csv(std::istream& text, const std::string& source,
                      const std::function<void(const UpdateRecord&)>& take) {
    read_rows(text, source, read_update, take);
}

}  // namespace convoy
