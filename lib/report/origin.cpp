#include "report/origin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_text.hpp"
#include "report/run_folder_format.hpp"

namespace convoy {
namespace {

using nlohmann::json;

/// The text at a path of keys; empty if an older convoy wrote none.
std::string text_at(const json& environment, std::initializer_list<const char*> keys,
                    const std::string& source) {
    const auto* found = &environment;
    for (const auto* key : keys) {
        if (!found->is_object()) throw DataError(fmt::format("{}: is no environment of a run", source));
        const auto next = found->find(key);
        if (next == found->end()) return "";
        found = &*next;
    }
    if (!found->is_string()) throw DataError(fmt::format("{}: is no environment of a run", source));
    return found->get<std::string>();
}

/// The digest of a file of the data; empty if the environment has none.
std::string digest_of(const json& environment, std::string_view file, const std::string& source) {
    const auto data = environment.find("data");
    if (data == environment.end()) return "";
    const auto entry = std::ranges::find_if(
        *data, [&](const json& found) { return text_at(found, {"file"}, source) == file; });
    return entry == data->end() ? "" : text_at(*entry, {"sha256"}, source);
}

}  // namespace

std::optional<json> read_environment(const std::filesystem::path& folder) {
    const auto file = folder / environment_file;
    constexpr std::size_t most_bytes = std::size_t{4} << 20U;
    if (!is_present(file)) return std::nullopt;
    return parse_json(read_file_text(file, most_bytes), file.string());
}

std::vector<std::string> data_differences(const json& before, const json& now, const std::string& source) {
    std::vector<std::string> differences;
    for (const auto& file : now.at("data")) {
        const auto name = file.at("file").get<std::string>();
        const auto then = digest_of(before, name, source);
        if (!then.empty() && then != file.at("sha256")) differences.push_back(name + " has changed since");
    }
    return differences;
}

std::vector<std::string> origin_differences(const json& before, const json& now, const std::string& source) {
    std::vector<std::string> differences;
    const auto compare = [&](const char* name, std::initializer_list<const char*> keys) {
        const auto then = text_at(before, keys, source);
        const auto today = text_at(now, keys, source);
        if (!then.empty() && !today.empty() && then != today)
            differences.push_back(fmt::format("{} of convoy: \"{}\" before, \"{}\" now", name, then, today));
    };
    compare("version", {"versions", "convoy"});
    compare("commit", {"build", "commit"});
    compare("build options", {"build", "options"});
    std::ranges::move(data_differences(before, now, source), std::back_inserter(differences));
    return differences;
}

}  // namespace convoy
