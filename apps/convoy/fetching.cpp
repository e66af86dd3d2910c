#include "fetching.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/console.hpp"
#include "base/count_text.hpp"
#include "base/end_on_signal.hpp"
#include "data/folders.hpp"

namespace convoy {
namespace {

constexpr double mega = 1e6;

void show_progress(const FetchProgress& progress) {
    const auto total =
        progress.total ? fmt::format(" of {:.1f}", static_cast<double>(*progress.total) / mega) : "";
    draw_line(
        fmt::format("{}  {:.1f}{} MB ", progress.file, static_cast<double>(progress.bytes) / mega, total));
}

}  // namespace

FetchOptions fetch_options(const Voice& voice) {
    FetchOptions options;
    if (!voice.is_quiet() && ::isatty(STDERR_FILENO) == 1) options.progress = show_progress;
    return options;
}

FetchTotals fetch_for(const DatasetSpec& spec, const std::filesystem::path& data_folder, const Voice& voice) {
    if (!spec.has_addresses()) return {};
    const auto cache = cache_folder(data_folder).string();
    const EndOnSignal ends(
        fmt::format("interrupted; what was fetched is kept in {}: run the command again to go on", cache));
    voice.detail("fetches what is missing into " + cache);
    const auto options = fetch_options(voice);
    const auto totals = fetch_dataset(spec, data_folder, options);
    if (totals.files == 0) return totals;
    if (options.progress) draw_line("");
    voice.tell(fmt::format("fetched {}, {:.1f} MB in {:.1f} s, into {}", count_text(totals.files, "file"),
                           static_cast<double>(totals.bytes) / mega, totals.seconds, cache));
    return totals;
}

}  // namespace convoy
