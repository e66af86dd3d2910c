#include "report/run_folder.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "example_run.hpp"

using namespace convoy;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

TEST_CASE("a run folder has all files and is read back") {
    const TemporaryFolder temporary;
    const auto folder = temporary.path() / "deep" / "run";
    const auto run = example_run();
    write_run_folder(folder, run);
    CHECK(names_in(temporary.path() / "deep") == std::set<std::string>{"run"});
    CHECK(names_in(folder) == std::set<std::string>{"spec.json", "environment.json", "summary.json",
                                                    "operators.csv", "steps.csv", "epochs.csv", "system.csv",
                                                    "label_histogram.csv", "trace.json", "report.md",
                                                    "report.html", "weights.safetensors"});
    CHECK(read_text(folder / "spec.json") == run.spec + "\n");
    CHECK(read_text(folder / "environment.json") == run.environment);
    CHECK(read_bytes(folder / "weights.safetensors") == run.weights);
    CHECK(nlohmann::json::parse(read_text(folder / "trace.json")).contains("traceEvents"));

    auto expected = results_of(run);
    const auto found = read_run_folder(folder);
    CHECK(*found.epochs.at(0).train_loss == Approx(*expected.epochs.at(0).train_loss).epsilon(1e-8));
    expected.epochs = found.epochs;
    CHECK(found == expected);
}

TEST_CASE("a folder that exists is kept, also an empty one") {
    const TemporaryFolder temporary;
    const auto folder = temporary.path() / "run";
    fs::create_directory(folder);
    CHECK_THROWS_AS(write_run_folder(folder, example_run()), UsageError);
    CHECK_THROWS_WITH(require_new_folder(folder), Contains("exists already"));
    CHECK_THROWS_AS(require_new_folder(folder.string() + "/"), UsageError);
    CHECK(names_in(temporary.path()) == std::set<std::string>{"run"});
    CHECK(names_in(folder).empty());
}

TEST_CASE("a folder that can be made is told before the run") {
    const TemporaryFolder temporary;
    require_new_folder(temporary.path() / "run/");
    CHECK(names_in(temporary.path()).empty());
    std::ofstream(temporary.path() / "file") << "x";
    CHECK_THROWS_AS(require_new_folder(temporary.path() / "file" / "run"), OutputError);
}

TEST_CASE("folders of equal runs are numbered") {
    const TemporaryFolder temporary;
    const auto results = temporary.path() / "results";
    const auto run = example_run();
    CHECK(choose_run_folder(results, run.name, run.run_id) == results / "example-0123456789ab");
    write_run_folder(results / "example-0123456789ab", run);
    CHECK(choose_run_folder(results, run.name, run.run_id) == results / "example-0123456789ab-2");
    fs::create_directory(results / "example-0123456789ab-2.partial");
    CHECK(choose_run_folder(results, run.name, run.run_id) == results / "example-0123456789ab-3");
    CHECK(choose_run_folder(results, "../a b/c", "1") == results / "run..-a-b-c-1");
}

TEST_CASE("what is no run folder is named, with what to do") {
    const TemporaryFolder temporary;
    CHECK_THROWS_AS(read_run_folder(temporary.path() / "none"), MissingFileError);
    CHECK_THROWS_WITH(read_run_folder(temporary.path()),
                      Contains("is no run folder") && Contains("summary.json"));
}

TEST_CASE("a damaged run folder is refused with the file's name") {
    const TemporaryFolder temporary;
    const auto folder = temporary.path() / "run";
    write_run_folder(folder, example_run());
    const auto damage = [&folder](const char* file, const std::string& content) -> std::string {
        const auto before = read_text(folder / file);
        write_whole(folder / file, content);
        std::string problem = "accepted";
        try {
            read_run_folder(folder);
        } catch (const DataError& error) {
            problem = error.what();
        }
        write_whole(folder / file, before);
        return problem;
    };
    CHECK_THAT(damage("summary.json", "{"), Contains("summary.json"));
    CHECK_THAT(damage("summary.json", "[]"), Contains("summary.json: name"));
    const auto steps = read_text(folder / "steps.csv");
    CHECK_THAT(damage("steps.csv", steps.substr(0, steps.size() - 30)), Contains("steps.csv: line 5"));
    CHECK_THAT(damage("system.csv", ""), Contains("system.csv: is empty"));
    fs::remove(folder / "epochs.csv");
    CHECK_THROWS_AS(read_run_folder(folder), MissingFileError);
}

TEST_CASE("a named pipe in place of a table is refused, and nobody waits for a writer") {
    const TemporaryFolder temporary;
    const auto folder = temporary.path() / "run";
    write_run_folder(folder, example_run());
    const auto file = GENERATE(as<std::string>{}, "operators.csv", "steps.csv", "epochs.csv", "system.csv");
    fs::remove(folder / file);
    REQUIRE(::mkfifo((folder / file).c_str(), 0600) == 0);
    CHECK_THROWS_WITH(read_run_folder(folder), Contains(file) && Contains("is not a regular file"));
}

TEST_CASE("a table that cannot be read to its end is refused by its name") {
    const TemporaryFolder temporary;
    const auto folder = temporary.path() / "run";
    write_run_folder(folder, example_run());
    const auto file = GENERATE(as<std::string>{}, "operators.csv", "steps.csv", "epochs.csv", "system.csv");
    fs::remove(folder / file);
    fs::create_symlink("/proc/self/mem", folder / file);  // a regular file whose first byte is an error
    CHECK_THROWS_AS(read_run_folder(folder), DataError);
    CHECK_THROWS_WITH(read_run_folder(folder), Contains(file + ": cannot be read: Input/output error"));
}
