// A calibration as text: read it, and what is read must survive being written and read again, and make a
// cluster that has an algorithm for any sum.

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "plan/cluster_model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    try {
        const auto calibration = convoy::parse_calibration(convoy::parse_json(input, "fuzz"), "fuzz");
        if (convoy::parse_calibration(convoy::to_json(calibration), "again") != calibration) std::abort();
        convoy::ExperimentSpec spec;
        spec.nodes.resize(calibration.nodes.size() + 1);
        spec.calibration = calibration;
        const auto model = convoy::cluster_model(spec);
        for (const auto& choice : calibration.all_reduce)
            if (convoy::algorithm_for(model, choice.up_to_bytes.value_or(1), choice.nodes) ==
                    convoy::AllReduceAlgorithm::automatic &&
                choice.nodes > 1)
                std::abort();
    } catch (const convoy::DataError&) {
        return 0;
    }
    return 0;
}
