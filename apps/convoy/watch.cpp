#include "watch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/console.hpp"
#include "base/end_on_signal.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "command_line.hpp"
#include "progress_text.hpp"
#include "report/epochs_follower.hpp"
#include "report/partial_folder.hpp"
#include "report/run_folder.hpp"
#include "report/run_folder_format.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

constexpr auto interval = std::chrono::seconds(1);
constexpr std::size_t most_progress_bytes = 4096;

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

/// The progress that the launcher wrote last; absent if there is none.
std::optional<NodeProgress> progress_in(const fs::path& partial) {
    try {
        const auto file = partial / progress_file;
        const auto told = parse_json(read_file_text(file, most_progress_bytes), file.string());
        const auto count = [&told](const char* key) { return told.at(key).get<std::int64_t>(); };
        // JSON has no number for the loss of training that diverges.
        const auto figure = [&told](const char* key) {
            const auto& value = told.at(key);
            return value.is_null() ? std::nan("") : value.get<double>();
        };
        return NodeProgress{.rank = count("node"),
                            .phase = told.at("phase").get<std::string>(),
                            .epoch = count("epoch"),
                            .epochs = count("epochs"),
                            .step = count("step"),
                            .steps = count("steps"),
                            .loss = figure("loss"),
                            .accuracy = figure("accuracy"),
                            .examples_per_second = figure("examples_per_second")};
    } catch (const Error&) {
        return std::nullopt;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
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
        const auto progress = progress_in(partial_);
        if (!progress) return;
        const auto width = terminal_ ? terminal_width(STDERR_FILENO) : std::nullopt;
        const auto line = progress_text(*progress, {}, width);
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

/// Says how the run ended, and returns the exit code that tells it.
int tell_end(const fs::path& run_folder, const fs::path& partial) {
    if (is_partial_run(partial)) {
        print(fmt::format(
            "the process of the run has ended; `convoy recover {0}` makes a run folder of what is "
            "in {0}\n",
            printable(partial.string())));
        return static_cast<int>(ExitCode::node_lost);
    }
    if (!is_present(run_folder / summary_file)) {
        print("the run has ended without results\n");
        return static_cast<int>(ExitCode::node_lost);
    }
    const auto status = read_run_folder(run_folder).status;
    print(fmt::format("{}: {}\n", printable(run_folder.string()), status));
    return static_cast<int>(status == "done" ? ExitCode::done : ExitCode::interrupted);
}

int watch(const fs::path& run_folder, bool once) {
    const auto partial = partial_beside(run_folder);
    if (has_marker(partial)) {
        read_partial_header(partial);  // or says how it is damaged
    } else if (!is_present(run_folder / summary_file)) {
        throw MissingFileError(
            fmt::format("{}: is no run, neither under way nor ended", run_folder.string()));
    }
    const EndOnSignal ends("interrupted; the run itself goes on");
    View view(partial);
    while (true) {
        const bool runs = is_partial_run(partial) && is_held(partial);
        view.show_epochs(partial);
        if (!runs) break;
        view.show_step();
        if (once) return 0;
        std::this_thread::sleep_for(interval);
    }
    // The epochs of the last moment came when OUT.partial had become OUT.
    if (!is_partial_run(partial)) view.show_epochs(run_folder);
    view.erase();
    return tell_end(run_folder, partial);
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
    auto name = argument_given(given, "run");
    while (name.size() > 1 && name.ends_with('/')) name.pop_back();
    return watch(run_folder_of_partial(name).value_or(name), given.contains("once"));
}

}  // namespace convoy
