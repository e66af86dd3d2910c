#include "paper/archive_text.hpp"

#include <fmt/format.h>

#include "base/printable.hpp"

namespace convoy {

std::string text_in(const nlohmann::json& object, const char* pointer) {
    const nlohmann::json::json_pointer place(pointer);
    if (!object.contains(place) || !object.at(place).is_string()) return "";
    return object.at(place).get<std::string>();
}

std::string reproduce_script(const SettledSweep& sweep) {
    // A name has letters, digits, '_', '-' and '.' only (SWEEP.md); what a damaged file says stays on its
    // line.
    const auto& environment = sweep.runs.front().environment;
    return fmt::format(R"sh(#!/bin/sh
# Runs the sweep {0} ({1}) again, and says for each setting whether the result is the same.
#   ./reproduce.sh [OPTION...]    options of `convoy reproduce`: --data DIR, --out DIR, --json, ...
# It needs convoy in PATH, or in $CONVOY. The published runs are of convoy {2}, commit {3}.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
packed=$(mktemp -d)
trap 'rm -rf "$packed"' EXIT
trap 'exit 130' HUP INT TERM
(cd "$here" && find archive.json sweep.json runs.csv reproduce.sh runs -type f) >"$packed/files"
tar -C "$here" -czf "$packed/archive.tar.gz" -T "$packed/files"
"${{CONVOY:-convoy}}" reproduce "$packed/archive.tar.gz" "$@"
)sh",
                       sweep.name, sweep.id, printable(text_in(environment, "/versions/convoy")),
                       printable(text_in(environment, "/build/commit")));
}

}  // namespace convoy
