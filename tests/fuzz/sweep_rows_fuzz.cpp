// A sweep's runs.csv: whatever it holds, its figures are drawn and it is compared with itself, or it is
// refused.

#include <sstream>
#include <string>

#include "base/error.hpp"
#include "files_of_input.hpp"
#include "sweep/sweep_comparison.hpp"
#include "sweep/sweep_folder.hpp"
#include "sweep/sweep_page.hpp"
#include "sweep/sweep_plots.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(convoy::fuzz::text_of_input(data, size));
    static const convoy::fuzz::Folder folder("sweep_rows_fuzz");
    convoy::fuzz::write(folder.path() / convoy::runs_file, text);
    try {
        const auto figures = convoy::figures_in(folder.path());
        convoy::drawings_of(figures);
        convoy::plots_of(figures);
    } catch (const convoy::DataError&) {
    }
    try {
        std::istringstream a(text);
        std::istringstream b(text.substr(0, text.find('\n') + 1));
        convoy::compare_sweeps(a, "a", b, "b");
    } catch (const convoy::DataError&) {
    }
    return 0;
}
