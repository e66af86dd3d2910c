#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convoy {

enum class MetricType : std::uint8_t {
    counter,  ///< it only grows, unless the run goes back to an earlier step
    gauge
};

/// A metric as its page lists it.
struct MetricInfo {
    std::string_view name;
    MetricType type = MetricType::gauge;
    std::string_view unit;    ///< "seconds", "bytes"; empty: a number
    std::string_view labels;  ///< besides `run`, with a comma between them; empty: none
    std::string_view help;    ///< one sentence without a full stop
};

using MetricLabels = std::vector<std::pair<std::string_view, std::string>>;

/// The values of a metric.
struct MetricFamily {
    const MetricInfo* info = nullptr;
    struct Value {
        MetricLabels labels;
        double value = 0.0;
    };
    std::vector<Value> values = {};
};

/// Metrics in Prometheus' text format, version 0.0.4. common: labels of every value. Families without values
/// are left out.
std::string exposition_text(std::span<const MetricFamily> families, const MetricLabels& common);

}  // namespace convoy
