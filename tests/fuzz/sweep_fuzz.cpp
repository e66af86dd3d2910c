// A sweep, and its base in a file of its own: read it, and what is read must be the same sweep after it is
// written and read again.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "files_of_input.hpp"
#include "sweep/sweep_spec.hpp"

namespace {

constexpr std::array<std::string_view, 2> names{"sweep.json", "base.json"};
constexpr double most_runs = 64;

/// Whether a sweep has few runs, so that an input takes little time. A sweep that is wrong has few.
bool is_small(std::string_view sweep) {
    const auto content = nlohmann::json::parse(sweep, nullptr, false, true);
    if (!content.is_object()) return true;
    double runs = 1;
    for (const auto* key : {"repeats", "most_repeats"})
        if (content.contains(key) && content.at(key).is_number()) runs *= content.at(key).get<double>();
    const bool by_results = content.contains("precision") || content.contains("undisturbed_repeats");
    const auto& undisturbed = content.value("undisturbed_repeats", nlohmann::json(1));
    const double asked = undisturbed.is_number() ? undisturbed.get<double>() : 1.0;
    if (by_results && !content.contains("most_repeats")) runs *= std::max(30.0, asked);
    if (content.contains("grid"))
        for (const auto& values : content.at("grid")) runs *= static_cast<double>(values.size());
    return runs <= most_runs;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = convoy::fuzz::text_of_input(data, size);
    static const convoy::fuzz::Folder folder("sweep_fuzz");
    convoy::fuzz::write_files(input, folder.path(), names);
    const auto file = folder.path() / "sweep.json";
    const auto begin = input.find("@sweep.json\n");
    if (begin == std::string_view::npos) return 0;
    const auto text = input.substr(begin + std::string_view("@sweep.json\n").size());
    if (!is_small(text.substr(0, text.find("\n@")))) return 0;
    try {
        const auto sweep = convoy::load_sweep(file);
        const auto written = folder.path() / "written.json";
        convoy::fuzz::write(written, sweep.text);
        const auto again = convoy::load_sweep(written);
        if (again.id != sweep.id || again.runs.size() != sweep.runs.size()) std::abort();
        for (std::size_t i = 0; i < sweep.runs.size(); ++i)
            if (again.runs[i].run_id != sweep.runs[i].run_id) std::abort();
    } catch (const convoy::DataError&) {
    } catch (const convoy::MissingFileError&) {
    } catch (const convoy::UsageError&) {
    }
    return 0;
}
