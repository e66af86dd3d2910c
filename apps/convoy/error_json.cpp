#include "error_json.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/console.hpp"
#include "base/exit_codes.hpp"
#include "base/json_text.hpp"
#include "base/path_text.hpp"

namespace convoy {
namespace {

constexpr std::string_view separator = ": ";

/// The part of a message in front of its next ": ", which is taken away; empty if there is none.
std::string_view take_part(std::string_view& message) {
    const auto end = message.find(separator);
    if (end == std::string_view::npos) return {};
    const auto part = message.substr(0, end);
    message.remove_prefix(end + separator.size());
    return part;
}

bool is_field(std::string_view part) {
    return part == "$" || part.starts_with("$.") || part.starts_with("$[");
}

/// Errors about files begin with the path, and the file of code 66 is the one that does not exist.
bool is_path(std::string_view part, ExitCode code) {
    const bool is_other = part.starts_with("--") || part.starts_with("convoy ") || part.starts_with("node ");
    if (part.empty() || is_other) return false;
    std::error_code ignored;
    return code == ExitCode::missing || std::filesystem::exists(part, ignored);
}

}  // namespace

bool wants_json(std::span<const std::string> words) {
    return std::ranges::find(words, "--json") != words.end();
}

nlohmann::json error_json(const Error& error) {
    nlohmann::json found{{"code", static_cast<int>(error.code())},
                         {"kind", kind_of(error.code())},
                         {"message", text_of_path(error.what())}};
    std::string_view rest = error.what();
    for (auto part = take_part(rest); !part.empty(); part = take_part(rest)) {
        if (is_field(part)) {
            found["field"] = part;
        } else if (!found.contains("file") && is_path(part, error.code())) {
            found["file"] = text_of_path(std::string(part));
        } else if (!part.starts_with("--") && !part.starts_with("node ")) {
            break;
        }
    }
    return {{"error", std::move(found)}};
}

int print_with_error(nlohmann::json results, const Error& error) {
    results.update(error_json(error));
    print(json_text(results, 2) + "\n", error.what());
    say(error.what());
    return static_cast<int>(error.code());
}

}  // namespace convoy
