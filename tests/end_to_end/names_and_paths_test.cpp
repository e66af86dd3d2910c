// Names, paths and streams that are not as one wishes, from the command line.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "base/run_program.hpp"
#include "data/npy_files.hpp"
#include "small_experiment.hpp"
#include "support/sanitized.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// A shell's line; $0 is convoy, $1 the words that follow.
ProgramOutcome shell(const std::string& line, const std::vector<std::string>& words = {}) {
    std::vector<std::string> command{"/bin/sh", "-c", line, CONVOY_PROGRAM};
    command.insert(command.end(), words.begin(), words.end());
    return run_program(command, "", std::chrono::seconds(90));
}

/// One line on stderr, which a terminal only shows.
void check_one_line(const std::string& err) {
    CAPTURE(err);
    CHECK(err.starts_with("convoy: "));
    CHECK(err.find('\n') == err.size() - 1);
    CHECK(err.find('\x1b') == std::string::npos);
}

/// NPY files of drawn values, and a spec beside them, in a folder of this name.
std::string write_own_data(const TemporaryFolder& folder, const std::string& name) {
    const auto write = [&](const std::string& file, const std::string& type, const std::string& shape,
                           std::size_t bytes) {
        std::string values(bytes, '\0');
        for (std::size_t i = 0; i < bytes; ++i) values[i] = static_cast<char>(i % 3);
        folder.write(name + "/" + file, npy_array(type, shape, values));
    };
    write("x.npy", "|u1", "12, 28, 28", 12 * 784);
    write("y.npy", "|u1", "12", 12);
    auto spec = small_spec();
    spec["dataset"] = {
        {"name", "npy"}, {"images", "x.npy"}, {"labels", "y.npy"}, {"classes", 10}, {"test_fraction", 0.5}};
    spec["batch_size"] = 2;
    spec["checkpoints"] = {{"every_steps", 2}};
    return write_spec(folder, spec, name + "/spec.json");
}

}  // namespace

TEST_CASE("paths may have any bytes, in every command", "[large]") {
    const TemporaryFolder folder;
    const std::string name = "d\xff\xfe\x1b[31m\n'";
    const auto spec = write_own_data(folder, name);
    const auto out = (folder / (name + "/o\xff")).string();
    const auto again = (folder / (name + "/again\xff")).string();
    const json sweep{{"base", "spec.json"}, {"grid", {{"batch_size", {2, 3}}}}};
    const auto sweep_file = write_spec(folder, sweep, name + "/sweep.json");
    const auto weights = "initial_weights=" + out + "/weights.safetensors";
    for (const auto& words : {std::vector<std::string>{"plan", spec},
                              {"run", spec, "--out", out},
                              {"run", spec, "--out", out, "--resume"},
                              {"run", spec, "--set", weights, "--out", again},
                              {"report", out, again},
                              {"report", out, again, "--format", "html"},
                              {"report", out, "--table", "epochs", "--format", "csv"},
                              {"report", out, again, "--plot", again + ".svg"},
                              {"compare", out, again},
                              {"evaluate", out},
                              {"evaluate", again, "--out", out + ".csv"},
                              {"sweep", sweep_file, "--out", out + ".sweep"},
                              {"sweep", sweep_file, "--out", out + ".sweep", "--resume"},
                              {"report", out + ".sweep"},
                              {"watch", out}}) {
        const auto outcome = run_convoy(words);
        CAPTURE(words, outcome.err);
        CHECK(outcome.code == 0);
        for (const auto& text : {outcome.out, outcome.err}) {
            CHECK(text.find('\x1b') == std::string::npos);
            CHECK(text.find('\xff') == std::string::npos);
        }
    }
    CHECK(fs::exists(fs::path(out + ".csv")));
    CHECK(text_of(fs::path(out) / "weights.safetensors").size() > 1000);
    CHECK_THAT(run_convoy({"watch", out}).out, EndsWith("d\\xff\\xfe\\x1b[31m\\n'/o\\xff: done\n"));
}

TEST_CASE("results are recovered whatever the name of their folder, and whoever reads what is printed",
          "[large]") {
    const TemporaryFolder folder;
    const auto whole = run_spec(folder, small_spec(), "whole");
    // The trace is larger than that, the weights are smaller.
    const auto most = 2 * fs::file_size(whole / "weights.safetensors");
    const auto out = (folder / "o\n\xff").string();
    const auto partial = out + ".partial";
    REQUIRE(
        run_convoy({"run", write_spec(folder, small_spec()), "--out", out}, {.most_file_bytes = most}).code ==
        73);
    const bool is_read = GENERATE(true, false);
    if (is_read) {
        const auto recovered = run_convoy({"recover", partial});
        CHECK(recovered.code == 0);
        CHECK_THAT(recovered.out, EndsWith("/o\\n\\xff\n"));
    } else {
        const auto unread = shell("\"$0\" recover \"$1\" >/dev/full", {partial});
        CHECK(unread.code == 73);
        check_one_line(unread.err);
        CHECK_THAT(unread.err, EndsWith("/o\\n\\xff\n") && Contains("; written to "));
    }
    CHECK(json_of(fs::path(out) / "summary.json").at("status") == "done");
}

TEST_CASE("a command line is told back in one line that a terminal only shows") {
    for (const auto& words : {std::vector<std::string>{"x\n\x1b[31my"},
                              {"run", "none\n\x1b[31m.json"},
                              {"run", "--no\nsuch\x1b"},
                              {"report", "a\r\nb\x1b"},
                              {"report", std::string(300, 'a')},
                              {"report", "a", "--table", "\x1b\n"},
                              {"evaluate", "a", "--threads", "\n\x1b"},
                              {"dataset", "verify", "mnist\n\x1b"},
                              {"plan", EXPERIMENTS "/mnist_cnn.json", "--set", "\x1b\n=3"},
                              {"plan", EXPERIMENTS "/mnist_cnn.json", "--set", "seed=\xff\x1b"}}) {
        const auto outcome = run_convoy(words);
        CAPTURE(words);
        CHECK(outcome.code >= 64);
        CHECK(outcome.code <= 66);
        check_one_line(outcome.err);
    }
}

TEST_CASE("a run whose standard output is lost says where its results are") {
    const TemporaryFolder folder;
    const auto spec = write_spec(folder, small_spec());
    const auto out = (folder / "out").string();
    const auto line =
        GENERATE(as<std::string>{}, "exec \"$0\" run \"$1\" --out \"$2\" >/dev/full 2>\"$2.err\"",
                 "exec \"$0\" run \"$1\" --out \"$2\" >&- 2>\"$2.err\"");
    const auto ended = shell(line, {spec, out});
    CHECK(ended.code == 73);
    CHECK_THAT(text_of(out + ".err"),
               Contains("standard output: cannot be written") && EndsWith("; written to " + out + "\n"));
    CHECK(json_of(fs::path(out) / "summary.json").at("status") == "done");
    CHECK(run_convoy({"report", out}).code == 0);
}

TEST_CASE("readers that go away, and closed standard files, end no training", "[large]") {
    const TemporaryFolder folder;
    const auto spec = write_spec(folder, small_spec());
    const auto out = (folder / "out").string();
    const auto line =
        GENERATE(as<std::string>{}, "(\"$0\" run \"$1\" --out \"$2\" 2>&1; echo $? >\"$2.code\") | true",
                 "(\"$0\" run \"$1\" --out \"$2\" 2>&1; echo $? >\"$2.code\") | head -n 1",
                 "\"$0\" run \"$1\" --out \"$2\" 2>&-; echo $? >\"$2.code\"",
                 "\"$0\" run \"$1\" --out \"$2\" <&- 2>&-; echo $? >\"$2.code\"");
    shell(line, {spec, out});
    CHECK(text_of(out + ".code") == "0\n");
    CHECK(json_of(fs::path(out) / "summary.json").at("status") == "done");
}

TEST_CASE("no other file takes the number of a closed standard file") {
    const TemporaryFolder folder;
    const auto run = shell(
        "\"$0\" run \"$1\" --out \"$2\" <&- >&- 2>&- & "
        "while kill -0 $! && ! [ -e \"$2.partial/epochs.csv\" ]; do :; done; "
        "for number in 0 1 2; do readlink /proc/$!/fd/$number; done; kill -KILL $!; wait $!",
        {write_spec(folder, long_spec()), (folder / "out").string()});
    CHECK(run.out == "/dev/null\n/dev/null\n/dev/null\n");
}

TEST_CASE("a spec may come from a pipe") {
    const TemporaryFolder folder;
    const auto spec = write_spec(folder, small_spec());
    const auto whole = run_convoy({"plan", spec});
    const auto piped = shell("cat \"$1\" | \"$0\" plan /dev/stdin", {spec});
    INFO(piped.err);
    CHECK(piped.code == 0);
    CHECK(piped.out == whole.out);
    const auto empty = shell("\"$0\" plan /dev/stdin");
    CHECK(empty.code == 65);
    check_one_line(empty.err);
}

// Sanitizers open files of their own.
TEST_CASE("too few open files are said by name", left_out(is_sanitized)) {
    const TemporaryFolder folder;
    const auto few = shell("ulimit -n 4; exec \"$0\" run \"$1\" --out \"$2\"",
                           {write_spec(folder, small_spec()), (folder / "out").string()});
    CHECK(few.code == 69);
    check_one_line(few.err);
    CHECK_THAT(few.err, Contains("ulimit -n"));
    CHECK(folder.entries() == 1);
}

TEST_CASE("a folder for temporary files that is not there is said by name") {
    const TemporaryFolder folder;
    auto on_disk = small_spec();
    on_disk["input_pipeline"] = {{"prepare", "ahead"}, {"store", "disk"}};
    const auto out = (folder / "out").string();
    const auto nowhere = shell("TMPDIR=\"$2/nowhere\" \"$0\" run \"$1\" --out \"$2\"",
                               {write_spec(folder, on_disk, "disk.json"), out});
    CHECK(nowhere.code == 73);
    CHECK_THAT(nowhere.err, Contains(out + "/nowhere: is no folder for temporary files"));
}

TEST_CASE("initial weights that are not there are refused before anything is planned") {
    const TemporaryFolder folder;
    const auto spec = write_spec(folder, small_spec());
    const auto weights = "initial_weights=" + (folder / "none").string();
    for (const auto& words : {std::vector<std::string>{"plan", spec, "--set", weights},
                              {"run", spec, "--set", weights, "--dry-run"},
                              {"run", spec, "--set", weights}}) {
        const auto outcome = run_convoy(words);
        CHECK(outcome.code == 66);
        check_one_line(outcome.err);
        CHECK_THAT(outcome.err, Contains("none: No such file or directory"));
    }
}

TEST_CASE("a tampered run folder commands no terminal") {
    const TemporaryFolder folder;
    const auto run = run_spec(folder, small_spec(), "out");
    auto operators = text_of(run / "operators.csv");
    const auto at = operators.find(",", operators.find(",train,") + 7);
    operators.insert(at, "\x1b[31m\x7f\xc2\x9b");
    std::ofstream(run / "operators.csv") << operators;
    for (const auto* format : {"text", "csv", "markdown", "json", "html"}) {
        const auto outcome = run_convoy({"report", run.string(), "--table", "operators", "--format", format});
        CAPTURE(format, outcome.err);
        CHECK(outcome.code == 0);
        CHECK(outcome.out.find_first_of("\x1b\x7f") == std::string::npos);
        CHECK(outcome.out.find("\xc2\x9b") == std::string::npos);
        CHECK_THAT(outcome.out, Contains("1b[31m"));
    }
}

TEST_CASE("damaged specs, sweeps, run folders and sweep folders are answered in one line") {
    const auto checked = run_program(
        {"python3", MUTATE, "--convoy", CONVOY_PROGRAM, "--seed", "20", "--count", "160", "--jobs", "2"}, "",
        patience);
    INFO(checked.out << checked.err);
    CHECK(checked.code == 0);
}
