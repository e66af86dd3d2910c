// The files of a run folder, or of a run under way: whatever they hold, `report` and `compare` have all their
// tables and figures of them, or one of convoy's errors; and a summary that was read can be written and read
// again.

#include <array>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "files_of_input.hpp"
#include "report/comparison.hpp"
#include "report/json_differences.hpp"
#include "report/origin.hpp"
#include "report/overview.hpp"
#include "report/partial_header.hpp"
#include "report/plots.hpp"
#include "report/render.hpp"
#include "report/run_folder.hpp"
#include "report/run_folder_format.hpp"
#include "report/run_page.hpp"
#include "report/summary.hpp"
#include "report/tables.hpp"

namespace {

constexpr std::array<std::string_view, 10> names{
    convoy::summary_file, convoy::operators_file, convoy::steps_file, convoy::epochs_file,
    convoy::system_file,  convoy::updates_file,   convoy::spec_file,  convoy::environment_file,
    "records/run.json",   "records/state"};

constexpr const char* environment_now =
    R"({"versions": {"convoy": "0.2.0"}, "build": {"commit": "abc", "options": "Release"},
    "data": [{"file": "a.gz", "sha256": "00"}]})";

void require(bool holds) {
    if (!holds) std::abort();
}

/// What a folder is refused with.
void refuse_or_accept(const std::function<void()>& read) {
    try {
        read();
    } catch (const convoy::DataError&) {
    } catch (const convoy::MissingFileError&) {
    }
}

/// Each table in one of the formats. turn: which table gets which.
void show(const convoy::RunResults& results, std::size_t turn) {
    using enum convoy::TableFormat;
    constexpr std::array formats{text, csv, markdown, json, html, latex};
    for (const auto& named : convoy::named_tables()) {
        const auto table = named.make(results);
        convoy::render(table, formats[turn++ % formats.size()]);
        convoy::compare(table, table);
    }
    for (const auto* name : {"epochs", "operators", "operator_totals", "system"})
        convoy::named_plots(name)(results);
    convoy::overview_text(results, {});
    convoy::overview_markdown(results);
}

void read_again(const convoy::RunResults& results) {
    convoy::RunResults again;
    convoy::read_summary_json(convoy::summary_json(results), "again", again);
    require(again.nodes == results.nodes && again.name == results.name && again.status == results.status);
    require(again.summaries.size() == results.summaries.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = convoy::fuzz::text_of_input(data, size);
    static const convoy::fuzz::Folder folder("run_folder_fuzz");
    std::filesystem::create_directories(folder.path() / "records");
    convoy::fuzz::write_files(input, folder.path(), names);
    refuse_or_accept([&] {
        const auto results = convoy::read_run_folder(folder.path());
        show(results, size);
        convoy::run_page(results, std::string(input), std::string(input), {});
        read_again(results);
    });
    refuse_or_accept([&] { show(convoy::read_partial_run(folder.path()), size); });
    refuse_or_accept([&] {
        const auto before = convoy::read_environment(folder.path());
        if (!before) return;
        const auto now = nlohmann::json::parse(environment_now);
        convoy::json_differences(*before, now);
        convoy::origin_differences(*before, now, "before");
    });
    return 0;
}
