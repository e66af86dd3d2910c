#pragma once

#include <span>
#include <string>
#include <vector>

#include "chart/drawing.hpp"
#include "replication/claims.hpp"
#include "replication/joined.hpp"
#include "replication/notes.hpp"
#include "report/table.hpp"

namespace convoy {

/// What a replication is made of. Everything that it names must outlive the page.
struct Replication {
    const ReplicationSpec& spec;
    std::string experiment;
    std::span<const PublishedFigure> published;
    const OwnRuns& runs;
    std::span<const ReplicationNote> notes = {};
};

/// The page in Markdown: counts of what replicates, the runs, the claims, each published table beside the
/// runs, and the figures. picture: the name of the file with the figures; empty: the page has none. The same
/// files give the same bytes.
std::string replication_page(const Replication& replication, const std::string& picture);

/// The same page as HTML, with the figures in it. It loads nothing and runs no script.
std::string replication_html(const Replication& replication);

/// All joined rows as one table, for scripts.
Table replication_data(const Replication& replication);

/// The figures of the page, each with both systems by batch size; those for which the runs have values.
std::vector<Drawing> replication_drawings(const Replication& replication);

/// They as one SVG file. Empty if there are none.
std::string replication_picture(const Replication& replication);

}  // namespace convoy
