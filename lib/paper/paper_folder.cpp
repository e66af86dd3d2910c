#include "paper/paper_folder.hpp"

#include <fmt/format.h>

#include <span>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/make_folder.hpp"
#include "paper/archive.hpp"
#include "paper/methods.hpp"
#include "paper/settled_sweep.hpp"
#include "report/latex.hpp"
#include "report/picture.hpp"
#include "report/plot.hpp"
#include "sweep/sweep_folder.hpp"
#include "sweep/sweep_plots.hpp"
#include "sweep/sweep_results.hpp"

namespace convoy {
namespace fs = std::filesystem;

std::vector<fs::path> write_paper(const fs::path& sweep_folder, const fs::path& folder,
                                  const Gnuplot& gnuplot) {
    if (is_taken(folder))
        throw UsageError(fmt::format("{}: exists already; choose another --out", folder.string()));
    // All that can fail for a reason other than the disk comes before the first file.
    const auto sweep = settled_sweep(sweep_folder);
    const auto archive = pack_archive(archive_files_of(sweep_folder, sweep));
    const auto medians = kept_medians(sweep_folder).medians;
    const auto plots = plots_of(figures_in(sweep_folder));
    std::vector<std::pair<fs::path, std::string>> files;
    for (const auto& plot : plots) {
        const auto name = std::visit([](const auto& any) { return any.name; }, plot);
        files.emplace_back(fs::path("figures") / (name + ".pdf"),
                           gnuplot.draw(gnuplot_script(std::span(&plot, 1), ImageFormat::pdf)));
    }
    files.emplace_back(fs::path("tables") / "medians.tex", to_latex(medians));
    files.emplace_back("methods.tex", methods_latex(sweep));
    files.emplace_back("methods.md", methods_markdown(sweep));
    files.emplace_back(fmt::format("{}-{}.tar.gz", sweep.name, sweep.id), archive);
    std::vector<fs::path> written;
    for (const auto& [path, content] : files) {
        written.push_back(folder / path);
        make_folder(written.back().parent_path());
        write_whole(written.back(), content);
    }
    return written;
}

}  // namespace convoy
