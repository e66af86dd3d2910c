#include "top.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "base/console.hpp"
#include "base/end_on_signal.hpp"
#include "base/error.hpp"
#include "base/json_text.hpp"
#include "command_line.hpp"
#include "monitor/journal_follower.hpp"
#include "monitor/live_table.hpp"
#include "monitor/progress_file.hpp"
#include "progress_text.hpp"
#include "report/partial_folder.hpp"
#include "report/render.hpp"
#include "run_under_way.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

constexpr auto look_interval = std::chrono::seconds(1);
/// Lines of a screen that are no rows of the table.
constexpr std::size_t other_lines = 6;

/// The lines of the terminal on standard output; absent if it is none, very many if it gives no number.
std::optional<std::size_t> terminal_height() {
    winsize size{};
    if (::isatty(STDOUT_FILENO) != 1) return std::nullopt;
    const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
    return is_known ? size.ws_row : std::numeric_limits<std::size_t>::max();
}

/// Leaves rows out that have no room; those for which others wait come first then. Returns how many.
std::size_t fit(Table& nodes, std::optional<std::size_t> height) {
    const auto room =
        height ? std::max<std::size_t>(*height, other_lines + 1) - other_lines : nodes.rows.size();
    if (nodes.rows.size() <= room) return 0;
    std::ranges::stable_partition(nodes.rows, [](const std::vector<Cell>& row) {
        return std::holds_alternative<std::string>(row.back());
    });
    const auto left_out = nodes.rows.size() - room;
    nodes.rows.resize(room);
    return left_out;
}

/// What is known of a run under way.
class Top {
  public:
    explicit Top(const fs::path& partial)
        : partial_(partial), header_(read_partial_header(partial)), follower_(partial, header_.ranks) {}

    void look() {
        header_ = read_partial_header(partial_);
        follower_.look();
        auto& figures = follower_.figures();
        figures.set_ranks(header_.ranks);
        progress_ = read_progress_file(partial_);
        for (auto& [rank, node] : figures.nodes) node.progress.reset();
        if (!progress_) return;
        for (const auto& [rank, node] : progress_->nodes)
            if (rank < header_.ranks) figures.note(node);
    }

    [[nodiscard]] std::string text(std::optional<std::size_t> width,
                                   std::optional<std::size_t> height) const {
        auto nodes = live_table(follower_.figures());
        const auto left_out = fit(nodes, height);
        auto text = header_.run.name + ": ";
        // The name of a run may be longer than a line.
        const auto left = width ? std::optional(*width - std::min(*width, text.size())) : std::nullopt;
        text += progress_ ? progress_text(progress_->shown, {}, left) : "begins";
        text += "\n\n" + to_text(nodes, {.bars = false, .width = width});
        if (left_out > 0) text += fmt::format("and {} more nodes\n", left_out);
        return text;
    }

    [[nodiscard]] std::string json() const {
        auto content = parse_json(to_json_text(live_table(follower_.figures())), "the table");
        content["run"] = header_.run.name;
        content["run_id"] = header_.run.run_id;
        content["progress"] = nullptr;
        if (progress_) {
            auto told = parse_json(progress_file_text(progress_->shown, {}), "the progress");
            told.erase("nodes");
            content["progress"] = std::move(told);
        }
        return json_text(content, 2) + "\n";
    }

  private:
    fs::path partial_;
    PartialHeader header_;
    JournalFollower follower_;
    std::optional<RunProgress> progress_;
};

/// Shows the table, until the run ends, its folder is renamed or `once`.
void show(Top& top, const fs::path& partial, bool once, bool as_json) {
    while (is_under_way(partial)) {
        top.look();
        const auto height = once ? std::nullopt : terminal_height();
        if (as_json) {
            print(top.json());
        } else if (height) {
            draw_screen(top.text(terminal_width(), height));
        } else {
            print(top.text(terminal_width(), std::nullopt) + (once ? "" : "\n"));
        }
        if (once) return;
        std::this_thread::sleep_for(look_interval);
    }
}

int top(const fs::path& run_folder, bool once, bool as_json) {
    require_run(run_folder);
    const auto partial = partial_beside(run_folder);
    const EndOnSignal ends("interrupted; the run itself goes on");
    if (!is_under_way(partial)) return tell_end(run_folder);
    try {
        Top shown(partial);
        show(shown, partial, once, as_json);
    } catch (const MissingFileError&) {
        if (is_under_way(partial)) throw;  // else the run has ended while it was read
    }
    if (once && is_under_way(partial)) return 0;
    return tell_end(run_folder);
}

}  // namespace

CommandForm top_form() {
    auto described = option_group();
    described.add_options()                   //
        ("once", "print one table, and end")  //
        ("json", "with --once: print the table as JSON");
    return {.name = "top",
            .arguments = {{.name = "run", .shown = "RUN"}},
            .summary =
                "shows the nodes of a run that is under way: step, loss, speed, processor, memory, network",
            .options = described};
}

int top_command(std::span<const std::string> arguments) {
    const auto form = top_form();
    const auto given = parse_arguments(form, arguments);
    if (print_help(given, form)) return 0;
    if (given.contains("json") && !given.contains("once")) throw UsageError("--json: goes with --once");
    return top(run_folder_given(given), given.contains("once"), given.contains("json"));
}

}  // namespace convoy
