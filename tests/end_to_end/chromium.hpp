#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace convoy::test {

/// What a browser made of a page.
struct Rendering {
    int page_width = 0;          ///< what the page takes, more than the window where it would scroll sideways
    int requests = 0;            ///< addresses that the page asked for
    int references = 0;          ///< elements that name another file or address, but for these:
    int links = 0;               ///< links to pages in folders below the page's
    int figures = 0;             ///< SVGs that are shown
    double smallest_text = 0.0;  ///< height in pixels of the smallest text in an SVG; 0 where there is none
    std::string cut_off;         ///< a text that reaches out of its SVG; empty where there is none
    std::string overlap;         ///< two texts of an SVG that overlap; empty where there are none
    std::string console;         ///< what the browser had to say of the page: errors, refused requests
};

/// Opens an HTML file in headless Chromium, in a frame of this width, and unfolds all that is folded in it.
/// Throws std::runtime_error, which says what to install, where there is no Chromium.
Rendering render_page(const std::filesystem::path& file, int width);

}  // namespace convoy::test
