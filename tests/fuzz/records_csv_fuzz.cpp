// A text as each CSV file of a run folder that is read: it is refused, or what is read is the same text after
// it is written, read and written again.

#include <cstdlib>
#include <functional>
#include <sstream>
#include <string>

#include "base/error.hpp"
#include "files_of_input.hpp"
#include "report/records_csv.hpp"
#include "report/run_folder_format.hpp"

namespace {

using convoy::CsvWriter;

template <typename Record>
using Reader = void (*)(std::istream&, const std::string&, const std::function<void(const Record&)>&);

void write_row(CsvWriter& csv, const convoy::StepRecord& row) {
    add_row(csv, row, std::nullopt);
}
template <typename Record>
void write_row(CsvWriter& csv, const Record& row) {
    add_row(csv, row);
}

template <typename Record>
std::string written(const std::string& text, Reader<Record> read, std::span<const std::string_view> columns) {
    CsvWriter csv(columns);
    std::istringstream in(text);
    read(in, "fuzz", [&csv](const Record& row) { write_row(csv, row); });
    return csv.content();
}

template <typename Record>
void check(const std::string& text, Reader<Record> read, std::span<const std::string_view> columns) {
    std::string once;
    try {
        once = written<Record>(text, read, columns);
    } catch (const convoy::DataError&) {
        return;
    }
    if (written<Record>(once, read, columns) != once) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(convoy::fuzz::text_of_input(data, size));
    check<convoy::OperatorRecord>(text, convoy::read_operators_csv, convoy::operators_columns);
    check<convoy::StepRecord>(text, convoy::read_steps_csv, convoy::steps_columns);
    check<convoy::EpochRecord>(text, convoy::read_epochs_csv, convoy::epochs_columns);
    check<convoy::SystemSample>(text, convoy::read_system_csv, convoy::system_columns);
    check<convoy::UpdateRecord>(text, convoy::read_updates_csv, convoy::updates_columns);
    return 0;
}
