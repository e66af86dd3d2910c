#include "report/partial_header.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/folder_lock.hpp"
#include "base/json_text.hpp"
#include "base/output_file.hpp"
#include "report/partial_folder.hpp"
#include "report/run_files.hpp"
#include "report/run_folder.hpp"
#include "report/run_folder_format.hpp"
#include "report/summary.hpp"

namespace convoy {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view marker_format = "convoy partial run";
constexpr int marker_version = 1;
constexpr std::size_t most_marker_bytes = std::size_t{4} << 20U;
constexpr std::size_t state_bytes = 16;
constexpr std::array<std::string_view, 5> state_names{"running", "interrupted", "trained", "complete",
                                                      "replaced"};

PartialState read_state(const fs::path& folder) {
    const auto file = folder / partial_records / partial_state_file;
    auto word = read_file_text(file, state_bytes);
    word.erase(std::min(word.find_first_of(" \n"), word.size()));
    const auto found = std::ranges::find(state_names, word);
    if (found == state_names.end())
        throw DataError(fmt::format("{}: is not the state of a run", file.string()));
    return static_cast<PartialState>(found - state_names.begin());
}

/// Whether a file has this content.
bool has_content(const fs::path& file, const std::string& content) {
    std::error_code ignored;
    return fs::is_regular_file(file, ignored) && fs::file_size(file, ignored) == content.size() &&
           read_file_text(file) == content;
}

/// A file's text without the line feed at its end; empty if there is no such file.
std::string text_or_empty(const fs::path& file) {
    std::error_code ignored;
    auto text = fs::exists(file, ignored) ? read_file_text(file, most_marker_bytes) : std::string();
    if (text.ends_with('\n')) text.pop_back();
    return text;
}

}  // namespace

void write_state(const fs::path& folder, PartialState state) {
    const auto file = folder / partial_records / partial_state_file;
    auto word = std::string(state_names.at(static_cast<std::size_t>(state)));
    word.resize(state_bytes - 1, ' ');
    word += '\n';
    const auto opened = open_to_write(file);
    const auto bytes = static_cast<ssize_t>(word.size());
    const bool written =
        ::pwrite(opened.get(), word.data(), word.size(), 0) == bytes && ::fsync(opened.get()) == 0;
    if (!written) cannot_write(file, std::strerror(errno));
}

void write_partial_header(const fs::path& folder, const RunRecord& run, std::int64_t ranks) {
    std::error_code problem;
    fs::create_directories(folder / partial_records, problem);
    if (problem) cannot_write(folder, problem.message());
    write_state(folder, PartialState::running);
    write_partial_record(folder, run, ranks);
}

void write_partial_record(const fs::path& folder, const RunRecord& run, std::int64_t ranks) {
    const nlohmann::json marker{{"format", marker_format},
                                {"version", marker_version},
                                {"ranks", ranks},
                                {"run", summary_json(header_of(run))}};
    const auto text = marker.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    // The marker first: by it the next process knows the rest. What a run that is continued finds is replaced
    // as a whole: with a part of a marker, the folder and all its journals would be no run's.
    for (const auto& [name, content] :
         {std::pair(folder / partial_records / partial_header_file, &text),
          std::pair(folder / spec_file, &run.spec), std::pair(folder / environment_file, &run.environment)})
        if (!has_content(name, *content)) replace_file(name, *content);
    // A checkpoint must not outlive the folder of its journals.
    for (const auto& named : {folder / partial_records, folder, folder_above(folder)}) sync_folder(named);
}

bool is_partial_run(const fs::path& folder) {
    try {
        read_partial_header(folder);
        return true;
    } catch (const Error&) {
        return false;
    }
}

bool has_marker(const fs::path& folder) {
    return is_file(folder / partial_records / partial_header_file);
}

PartialHeader read_partial_header(const fs::path& folder) {
    const auto file = folder / partial_records / partial_header_file;
    if (!has_marker(folder)) {
        throw MissingFileError(
            fmt::format("{}: is no partial run, it has no {}/{}; name the OUT.partial of a run",
                        folder.string(), partial_records, partial_header_file));
    }
    const auto marker = parse_json(read_file_text(file, most_marker_bytes), file.string());
    const auto has = [&marker](const char* key, const nlohmann::json& value) {
        return marker.contains(key) && marker[key] == value;
    };
    const bool known = marker.is_object() && has("format", marker_format) && has("version", marker_version) &&
                       marker.contains("run") && marker.contains("ranks") &&
                       marker["ranks"].is_number_integer() && marker["ranks"] >= 1 &&
                       marker["ranks"] <= most_ranks;
    if (!known) throw DataError(fmt::format("{}: is no marker of a partial run", file.string()));
    RunResults results;
    read_summary_json(marker["run"], file.string(), results);
    PartialHeader header{.run = {static_cast<const RunHeader&>(results), text_or_empty(folder / spec_file),
                                 text_or_empty(folder / environment_file)},
                         .ranks = marker["ranks"].get<std::int64_t>(),
                         .state = read_state(folder)};
    if (header.state == PartialState::complete && !run_folder_of_partial(folder))
        throw MissingFileError(
            fmt::format("{}: is no partial run, but a run folder that is complete", folder.string()));
    return header;
}

bool is_held(const fs::path& folder) {
    const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    return opened.get() >= 0 && is_locked(opened.get());
}

RunResults read_partial_run(const fs::path& folder, std::vector<std::string>* lacking) {
    auto header = read_partial_header(folder);
    // Its journals may be gone already.
    if (header.state == PartialState::complete || header.state == PartialState::replaced)
        return read_run_folder(folder);
    header.run.status = is_held(folder) ? RunStatus::running : RunStatus::interrupted;
    const JournalFolder journals(folder / partial_records);
    const auto all = steps_of_all(journals, header.ranks, header.run);
    // Of a run that is under way, the rows that lack now are on their way.
    auto* const told = header.run.status == RunStatus::running ? nullptr : lacking;
    auto results = results_of(header_of(header.run), journals, all, told);
    if (told != nullptr && all.line) told->push_back(*all.line);
    return results;
}

}  // namespace convoy
