#include "watch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/console.hpp"
#include "base/end_on_signal.hpp"
#include "command_line.hpp"
#include "monitor/progress_file.hpp"
#include "progress_text.hpp"
#include "report/epochs_follower.hpp"
#include "report/partial_folder.hpp"
#include "report/run_folder_format.hpp"
#include "run_under_way.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

constexpr auto interval = std::chrono::seconds(1);

std::string line_of(const EpochRecord& epoch) {
    auto line = fmt::format("epoch {}:", epoch.epoch);
    const auto add = [&line](const char* name, const std::optional<double>& loss,
                             const std::optional<double>& accuracy) {
        if (loss && accuracy)
            line += fmt::format(" {} loss {:.4f}, accuracy {:.4f};", name, *loss, *accuracy);
    };
    add("train", epoch.train_loss, epoch.train_accuracy);
    add("validation", epoch.validation_loss, epoch.validation_accuracy);
    add("test", epoch.test_loss, epoch.test_accuracy);
    return line + fmt::format(" {:.2f} s\n", epoch.train_s + epoch.evaluate_s);
}

/// Prints what is new, and the step on a line of its own.
class View {
  public:
    explicit View(fs::path partial)
        : partial_(std::move(partial)), terminal_(::isatty(STDERR_FILENO) == 1 && terminal_width()) {}

    /// Prints the epochs in a folder that were not printed yet.
    void show_epochs(const fs::path& folder) {
        epochs_.look(folder / epochs_file, [this](const EpochRecord& epoch) {
            erase();
            print(line_of(epoch));
        });
    }
    void show_step() {
        const auto progress = read_progress_file(partial_);
        if (!progress) return;
        const auto width = terminal_ ? terminal_width(STDERR_FILENO) : std::nullopt;
        const auto line = progress_text(progress->shown, {}, width);
        if (line == last_ && !drawn_) return;
        last_ = line;
        if (terminal_) {
            draw_line(line);
            drawn_ = true;
        } else {
            print(line + "\n");
        }
    }
    /// Clears the line of the step.
    void erase() {
        if (std::exchange(drawn_, false)) draw_line("");
    }

  private:
    fs::path partial_;
    bool terminal_, drawn_ = false;
    EpochsFollower epochs_;
    std::string last_;
};

int watch(const fs::path& run_folder, bool once) {
    const auto partial = partial_beside(run_folder);
    require_run(run_folder);
    const EndOnSignal ends("interrupted; the run itself goes on");
    View view(partial);
    while (true) {
        const bool runs = is_under_way(partial);
        view.show_epochs(partial);
        if (!runs) break;
        view.show_step();
        if (once) return 0;
        std::this_thread::sleep_for(interval);
    }
    // The epochs of the last moment came when OUT.partial had become OUT.
    if (!is_partial_run(partial)) view.show_epochs(run_folder);
    view.erase();
    return tell_end(run_folder);
}

}  // namespace

CommandForm watch_form() {
    auto described = option_group();
    described.add_options()("once", "print the epochs and the step so far, and end");
    return {.name = "watch",
            .arguments = {{.name = "run", .shown = "RUN"}},
            .summary = "follows a run that is under way, from another terminal",
            .options = described};
}

int watch_command(std::span<const std::string> arguments) {
    const auto form = watch_form();
    const auto given = parse_arguments(form, arguments);
    if (print_help(given, form)) return 0;
    return watch(run_folder_given(given), given.contains("once"));
}

}  // namespace convoy
