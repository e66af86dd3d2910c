// A spec as text, then overrides, one per line after a line of "---": read it, and what is read must survive
// being written and read again.

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "spec/parse.hpp"
#include "spec/run_identity.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto end = input.find("\n---\n");
    try {
        auto json = convoy::parse_json(input.substr(0, end), "fuzz");
        if (end != std::string_view::npos) {
            std::istringstream overrides{std::string(input.substr(end + 5))};
            for (std::string line; std::getline(overrides, line);) convoy::apply_override(json, line);
        }
        auto spec = convoy::parse_spec(json, "fuzz");
        const bool same = convoy::parse_spec(convoy::to_json(spec)) == spec;
        spec.initial_weights.reset();  // an identity takes the content of the file, and there is none
        if (!same || convoy::run_id(spec).size() != 64) std::abort();
    } catch (const convoy::DataError&) {
        return 0;
    } catch (const convoy::UsageError&) {
        return 0;
    }
    return 0;
}
