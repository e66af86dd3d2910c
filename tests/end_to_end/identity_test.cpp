// A run tells which build and which data it is of, and --resume mixes no two of them in silence.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "data/npy_files.hpp"
#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Twelve images of noise, drawn from a seed.
void write_images(const TemporaryFolder& folder, unsigned seed) {
    std::string pixels(12 * 784, '\0');
    for (auto& pixel : pixels) pixel = static_cast<char>((seed = seed * 1103515245 + 12345) >> 16U);
    folder.write("x.npy", npy_array("|u1", "12, 28, 28", pixels));
}

json own_data_spec(const TemporaryFolder& folder) {
    write_images(folder, 1);
    folder.write("y.npy", npy_array("|u1", "12", std::string("\0\1\2\3\4\5\6\7\10\11\0\1", 12)));
    auto spec = small_spec();
    spec["dataset"] = {
        {"name", "npy"}, {"images", "x.npy"}, {"labels", "y.npy"}, {"classes", 10}, {"test_fraction", 0.5}};
    spec["batch_size"] = 2;
    return spec;
}

/// Makes a run one of another build, or of another version.
void change(const fs::path& run, const char* object, const char* key, const char* value) {
    auto environment = json_of(run / "environment.json");
    REQUIRE(environment.at(object).at(key).is_string());
    environment[object][key] = value;
    std::ofstream(run / "environment.json") << environment;
}

}  // namespace

TEST_CASE("a run tells its command, and --resume finds that its data have changed") {
    const TemporaryFolder folder;
    const auto file = write_spec(folder, own_data_spec(folder));
    const auto out = (folder / "out").string();
    const std::vector<std::string> command{"run", file, "--out", out};
    REQUIRE(run_convoy(command).code == 0);
    const auto told = json_of(folder / "out" / "environment.json").at("command");
    CHECK(std::vector<std::string>(told.begin() + 1, told.end()) == command);
    CHECK(run_convoy({"run", file, "--out", out, "--resume"}).code == 0);

    write_images(folder, 2);
    const auto refused = run_convoy({"run", file, "--out", out, "--resume"});
    CHECK(refused.code == 64);
    CHECK_THAT(refused.err, Contains("x.npy has changed since") && !Contains("y.npy has changed"));
    const auto accepted = run_convoy({"run", file, "--out", out, "--resume", "--accept-changes"});
    CHECK(accepted.code == 0);
    CHECK_THAT(accepted.err, Contains("warning: ") && Contains("x.npy has changed since"));
    CHECK(run_convoy({"run", file, "--out", out + "2", "--accept-changes"}).code == 64);
    CHECK_THAT(run_convoy({"evaluate", out}).err,
               Contains("warning: " + out + ": ") && Contains("x.npy has changed since"));
}

TEST_CASE("a run of another build goes on only if one accepts that, which it tells then") {
    const TemporaryFolder folder;
    auto spec = long_spec();
    spec["checkpoints"] = {{"every_steps", 1}};
    const auto file = write_spec(folder, spec);
    const auto out = (folder / "out").string();
    {
        ConvoyProcess run({"run", file, "--out", out});
        REQUIRE(run.wait_until([&] { return fs::exists(out + ".checkpoints"); }));
        REQUIRE(run.wait_for_error_text("epoch 3/"));
        run.signal(SIGKILL);
        REQUIRE(run.wait().code == -SIGKILL);
    }
    change(out + ".partial", "build", "commit", "0123456789ab");
    const auto refused = run_convoy({"run", file, "--out", out, "--resume"});
    CHECK(refused.code == 64);
    CHECK_THAT(refused.err, Contains("commit of convoy: \"0123456789ab\" before"));
    ConvoyProcess run({"run", file, "--out", out, "--resume", "--accept-changes"});
    REQUIRE(run.wait_for_error_text("goes on after step"));
    REQUIRE(run.wait_for_error_text("epoch "));
    run.signal(SIGINT);
    CHECK(run.wait().code == 130);
    const auto warnings = [&] { return json_of(folder / "out" / "environment.json").at("warnings").dump(); };
    CHECK_THAT(warnings(), Contains("0123456789ab"));

    // Whoever goes on once more still tells it.
    ConvoyProcess again({"run", file, "--out", out, "--resume"});
    REQUIRE(again.wait_for_error_text("goes on after step"));
    REQUIRE(again.wait_for_error_text("epoch "));
    again.signal(SIGINT);
    CHECK(again.wait().code == 130);
    CHECK_THAT(warnings(), Contains("0123456789ab"));
}

TEST_CASE("a sweep is not gone on with by another build, unless one accepts that") {
    const TemporaryFolder folder;
    const json sweep{{"name", "two"}, {"base", small_spec()}, {"grid", {{"seed", {1, 2}}}}};
    const auto file = write_spec(folder, sweep, "sweep.json");
    const auto out = folder / "sweep";
    REQUIRE(run_convoy({"sweep", file, "--out", out.string()}).code == 0);
    CHECK(run_convoy({"sweep", file, "--out", out.string(), "--resume"}).code == 0);
    const auto kept = fs::directory_iterator(out / "runs")->path();
    change(kept, "build", "commit", "0123456789ab");
    const auto refused = run_convoy({"sweep", file, "--out", out.string(), "--resume"});
    CHECK(refused.code == 64);
    CHECK_THAT(refused.err, Contains(kept.string() + ": things have changed since: commit of convoy"));
    const auto accepted = run_convoy({"sweep", file, "--out", out.string(), "--resume", "--accept-changes"});
    CHECK(accepted.code == 0);
    CHECK_THAT(accepted.err, Contains("warning: " + kept.string()));

    // A run of the sweep that is run later tells that others differ.
    const auto later = std::next(fs::directory_iterator(out / "runs"))->path();
    const auto missing = later == kept ? fs::directory_iterator(out / "runs")->path() : later;
    fs::remove_all(missing);
    CHECK(run_convoy({"sweep", file, "--out", out.string(), "--resume", "--accept-changes"}).code == 0);
    CHECK_THAT(json_of(missing / "environment.json").at("warnings").dump(),
               Contains("1 other run of this sweep: another build") && Contains("0123456789ab"));
}

TEST_CASE("a run of another version is not continued, which is said") {
    const TemporaryFolder folder;
    const auto run = run_spec(folder, small_spec(), "out");
    change(run, "versions", "convoy", "0.0.1");
    const auto refused =
        run_convoy({"run", write_spec(folder, small_spec()), "--out", run.string(), "--resume"});
    CHECK(refused.code == 64);
    CHECK_THAT(refused.err, Contains("was made by convoy \"0.0.1\"") && !Contains("--accept-changes"));
}

TEST_CASE("what begins again asks for no change to be accepted") {
    const TemporaryFolder folder;
    const auto file = write_spec(folder, long_spec());
    const auto out = (folder / "out").string();
    const auto begin = [&](const std::vector<std::string>& words) {
        ConvoyProcess run(words);
        REQUIRE(run.wait_for_error_text("epoch 3/"));
        run.signal(SIGKILL);
        REQUIRE(run.wait().code == -SIGKILL);
    };
    begin({"run", file, "--out", out});
    change(out + ".partial", "build", "commit", "0123456789ab");
    begin({"run", file, "--out", out, "--resume"});
    CHECK(fs::exists(out + ".before.partial"));
    CHECK(json_of(out + ".partial/environment.json").at("accepted_changes").empty());
}
