#pragma once

#include <string>
#include <vector>

#include "replication/replication_page.hpp"

namespace convoy {

/// A table of the page, and a sentence below it.
struct PageSection {
    Table table;
    std::string below = {};  ///< empty: none
};

/// The page but for its figures, in no markup.
struct PageContent {
    std::string title;
    std::vector<std::string> lines;  ///< below the title
    std::vector<PageSection> sections;
};

/// Counts of what replicates, the runs, the claims, and each published table beside the runs.
PageContent page_content(const Replication& replication);

}  // namespace convoy
