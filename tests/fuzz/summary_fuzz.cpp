// A summary.json: it is refused, or what is read is the same after it is written and read again.

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "files_of_input.hpp"
#include "report/summary.hpp"

namespace {

convoy::RunResults read(const nlohmann::json& summary) {
    convoy::RunResults results;
    convoy::read_summary_json(summary, "fuzz", results);
    return results;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const auto results = read(convoy::parse_json(convoy::fuzz::text_of_input(data, size), "fuzz"));
        const auto text = convoy::json_text(convoy::summary_json(results));
        const auto again = read(convoy::parse_json(text, "again"));
        if (convoy::json_text(convoy::summary_json(again)) != text) std::abort();
    } catch (const convoy::DataError&) {
        return 0;
    }
    return 0;
}
