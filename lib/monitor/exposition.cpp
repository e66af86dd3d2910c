#include "monitor/exposition.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "base/printable.hpp"

namespace convoy {

namespace {

/// A label's value may be any text in UTF-8; within the quotes these three are written with a backslash.
void append_label(std::string& text, std::string_view name, std::string_view value) {
    text += text.ends_with('{') ? "" : ",";
    text += name;
    text += "=\"";
    for (const char letter : printable_lines(value)) {
        if (letter == '\\' || letter == '"') text += '\\';
        if (letter == '\n') {
            text += "\\n";
        } else {
            text += letter;
        }
    }
    text += '"';
}

void append_number(std::string& text, double value) {
    if (std::isnan(value)) {
        text += "NaN";
    } else if (std::isinf(value)) {
        text += value > 0.0 ? "+Inf" : "-Inf";
    } else {
        fmt::format_to(std::back_inserter(text), "{}", value);
    }
}

void append(std::string& text, const MetricFamily& family, const MetricLabels& common) {
    const auto& info = *family.info;
    fmt::format_to(std::back_inserter(text), "# HELP {0} {1}\n# TYPE {0} {2}\n", info.name, info.help,
                   info.type == MetricType::counter ? "counter" : "gauge");
    for (const auto& [labels, value] : family.values) {
        text += info.name;
        if (!common.empty() || !labels.empty()) {
            text += '{';
            for (const auto& [name, content] : common) append_label(text, name, content);
            for (const auto& [name, content] : labels) append_label(text, name, content);
            text += '}';
        }
        text += ' ';
        append_number(text, value);
        text += '\n';
    }
}

}  // namespace

std::string exposition_text(std::span<const MetricFamily> families, const MetricLabels& common) {
    std::string text;
    for (const auto& family : families)
        if (!family.values.empty()) append(text, family, common);
    return text;
}

}  // namespace convoy
