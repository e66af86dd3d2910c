#include "chromium.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <stdexcept>

#include "base/error.hpp"
#include "base/run_program.hpp"
#include "base/temporary_folder.hpp"

namespace convoy::test {
namespace {

/// A page with a frame of the width under test, which looks into it once it is loaded: the page itself
/// carries no script, and a window could not be narrower than the browser's smallest.
constexpr auto wrapper = R"(<!DOCTYPE html><meta charset="utf-8"><body><pre id="found"></pre>
<iframe id="page" width="{width}" height="800" style="border: 0" src="file://{file}"></iframe>
<script>
addEventListener("load", () => {{
  const frame = document.getElementById("page").contentWindow;
  for (const closed of frame.document.querySelectorAll("details")) closed.open = true;
  const found = {{page_width: frame.document.documentElement.scrollWidth,
                 requests: frame.performance.getEntriesByType("resource").length,
                 references: 0, links: 0, figures: 0, smallest_text: 0, cut_off: "", overlap: ""}};
  for (const element of frame.document.querySelectorAll("*")) {{
    for (const name of ["src", "href", "xlink:href"]) {{
      const value = element.getAttribute(name);
      if (value === null || value.startsWith("#") || value.startsWith("data:")) continue;
      // A link to a page in a folder below is followed by the reader, and not by the browser.
      if (element.tagName == "A" && /^[a-zA-Z0-9]/.test(value) && !/:|\.\./.test(value)) ++found.links;
      else ++found.references;
    }}
  }}
  // Of the boxes of two texts, whether they share more than the rounding of a pixel.
  const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 &&
                            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5;
  for (const svg of frame.document.querySelectorAll("svg")) {{
    const room = svg.getBoundingClientRect();
    if (room.width == 0 || room.height == 0) continue;
    ++found.figures;
    const boxes = [];
    for (const text of svg.querySelectorAll("text")) {{
      if (!text.textContent.trim()) continue;
      const box = text.getBoundingClientRect();
      for (const other of boxes)
        if (overlap(box, other)) found.overlap = text.textContent + " and " + other.text;
      boxes.push({{left: box.left, right: box.right, top: box.top, bottom: box.bottom, text: text.textContent}});
      // A label that was turned on its side is as high as it is long.
      const height = Math.min(box.width, box.height);
      if (text.textContent.trim().length > 1 && (found.smallest_text == 0 || height < found.smallest_text))
        found.smallest_text = height;
      if (box.left < room.left - 1 || box.right > room.right + 1 || box.top < room.top - 1 || box.bottom > room.bottom + 1)
        found.cut_off = text.textContent;
    }}
  }}
  document.getElementById("found").textContent = "FOUND" + JSON.stringify(found) + "END";
}});
</script>)";

/// Debian's package of the browser without a window, or the whole browser.
ProgramOutcome run_chromium(std::vector<std::string> arguments) {
    constexpr std::array<const char*, 2> programs{"chromium-headless-shell", "chromium"};
    for (const auto* program : programs) {
        arguments.insert(arguments.begin(), program);
        try {
            return run_program(arguments, "", std::chrono::seconds(100));
        } catch (const MissingFileError&) {
            arguments.erase(arguments.begin());
        }
    }
    throw std::runtime_error(
        "Chromium is not installed, so report.html was NOT checked; scripts/setup installs "
        "chromium-headless-shell");
}

/// The lines in which the browser tells of the page, among those in which it tells of itself.
std::string console_lines(const std::string& log) {
    std::string lines;
    for (std::size_t begin = 0; begin < log.size();) {
        const auto end = std::min(log.find('\n', begin), log.size());
        const auto line = log.substr(begin, end - begin);
        if (line.find("CONSOLE") != std::string::npos) lines += line + "\n";
        begin = end + 1;
    }
    return lines;
}

}  // namespace

Rendering render_page(const std::filesystem::path& file, int width) {
    const TemporaryFolder folder;
    const auto page = folder.write(
        "wrapper.html",
        fmt::format(fmt::runtime(wrapper), fmt::arg("width", width), fmt::arg("file", file.string())));
    // The sandbox wants rights that a container does not have; the page is our own. Only with the last option
    // may one local file look into another.
    const auto outcome = run_chromium(
        {"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr",
         "--allow-file-access-from-files", fmt::format("--user-data-dir={}", (folder / "profile").string()),
         "--dump-dom", "file://" + page.string()});
    const auto begin = outcome.out.find(">FOUND{");
    const auto end = outcome.out.find("}END<");
    if (begin == std::string::npos || end == std::string::npos)
        throw std::runtime_error(
            fmt::format("Chromium (code {}) did not show the page: {}", outcome.code, outcome.err));
    const auto found = nlohmann::json::parse(outcome.out.substr(begin + 6, end - begin - 5));
    return {.page_width = found.at("page_width"),
            .requests = found.at("requests"),
            .references = found.at("references"),
            .links = found.at("links"),
            .figures = found.at("figures"),
            .smallest_text = found.at("smallest_text"),
            .cut_off = found.at("cut_off"),
            .overlap = found.at("overlap"),
            .console = console_lines(outcome.err)};
}

}  // namespace convoy::test
