#pragma once

#include <catch2/catch.hpp>
#include <chrono>
#include <string>

#include "base/run_program.hpp"

namespace convoy::test {

/// Requires that Prometheus' own parser reads a text of metrics, and that its rules for names and units find
/// nothing to say.
inline void require_good_metrics(const std::string& text) {
    const auto outcome = run_program({"promtool", "check", "metrics"}, text, std::chrono::seconds(60));
    INFO(outcome.out << outcome.err);
    REQUIRE(outcome.code == 0);
    REQUIRE((outcome.out + outcome.err).empty());
}

}  // namespace convoy::test
