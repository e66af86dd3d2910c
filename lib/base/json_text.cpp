#include "base/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/error.hpp"

namespace convoy {
namespace {

using nlohmann::json;

/// The library's message without its "[json.exception...] " in front, short and in plain ASCII.
std::string plain_message(const json::exception& problem) {
    std::string text = problem.what();
    if (const auto end = text.find("] "); end != std::string::npos) text.erase(0, end + 2);
    if (text.size() > 240) text = text.substr(0, 237) + "...";
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
}

/// Watches a parser for what the library lets pass.
class Watch {
  public:
    explicit Watch(const std::string& source) : source_(source) {}

    void see(int depth, json::parse_event_t event, const json& parsed) {
        using Event = json::parse_event_t;
        if (event == Event::object_start || event == Event::array_start) {
            if (depth >= max_json_depth) {
                throw DataError(fmt::format("{}: nested deeper than {} levels", source_, max_json_depth));
            }
            if (event == Event::object_start) keys_.emplace_back();
        } else if (event == Event::object_end) {
            keys_.pop_back();
        } else if (event == Event::key && !keys_.back().insert(parsed.get<std::string>()).second) {
            throw DataError(
                fmt::format("{}: key {} stands twice in one object; remove one", source_, describe(parsed)));
        }
    }

  private:
    std::string source_;
    std::vector<std::set<std::string>> keys_;  // of the objects that are open, outermost first
};

}  // namespace

json parse_json(std::string_view text, const std::string& source, JsonComments comments) {
    Watch watch(source);
    const auto callback = [&watch](int depth, json::parse_event_t event, json& parsed) {
        watch.see(depth, event, parsed);
        return true;
    };
    try {
        return json::parse(text, callback, true, comments == JsonComments::ignored);
    } catch (const json::exception& problem) {
        throw DataError(fmt::format("{}: not JSON: {}", source, plain_message(problem)));
    }
}

json json_or_null(std::string_view text) {
    try {
        return parse_json(text, "");
    } catch (const DataError&) {
        return nullptr;
    }
}

std::string json_text(const json& value, int indent) {
    const auto dumped = value.dump(indent, ' ', false, json::error_handler_t::replace);
    std::string text;
    text.reserve(dumped.size());
    // Outside ASCII there are only texts, so an escape may take any place.
    for (std::size_t at = 0; at < dumped.size(); ++at) {
        const bool c1 = dumped[at] == '\xC2' && static_cast<unsigned char>(dumped[at + 1]) < 0xA0U;
        if (c1) ++at;
        if (c1 || dumped[at] == '\x7f') {
            fmt::format_to(std::back_inserter(text), "\\u{:04x}", static_cast<unsigned char>(dumped[at]));
        } else {
            text += dumped[at];
        }
    }
    return text;
}

std::string describe(const json& value) {
    constexpr std::size_t longest = 60;
    if (value.is_object()) return value.empty() ? "an empty object" : "an object";
    if (value.is_array()) return value.empty() ? "an empty list" : fmt::format("a list of {}", value.size());
    auto text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    if (text.size() > longest) text = text.substr(0, longest - 3) + "...";
    return text;
}

}  // namespace convoy
