// A run that went on from an earlier part, and ended again, is completed by what its error names.

#include <signal.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <system_error>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Ten steps an epoch, and so many of them that a signal meets the run.
json long_spec_with_checkpoints() {
    auto spec = small_spec();
    spec["epochs"] = is_sanitized ? 12 : 60;
    spec["checkpoints"] = {{"every_steps", 4}};
    return spec;
}

bool has_checkpoint(const TemporaryFolder& folder) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder / "out.checkpoints", ignored))
        if (entry.path().extension() == ".checkpoint") return true;
    return false;
}

/// Ends a run of this spec by a signal once it has a checkpoint.
void end_after_checkpoint(const TemporaryFolder& folder, const std::string& spec, int signal) {
    ConvoyProcess run({"run", spec, "--out", (folder / "out").string()});
    REQUIRE(run.wait_until([&] { return has_checkpoint(folder); }));
    run.signal(signal);
    REQUIRE(run.wait().code == (signal == SIGKILL ? -SIGKILL : 130));
}

void require_completed(const fs::path& whole, const fs::path& completed) {
    CHECK(sha256_of_weights(whole) == sha256_of_weights(completed));
    CHECK(rows_of(whole / "epochs.csv").size() == rows_of(completed / "epochs.csv").size());
    CHECK(rows_of(whole / "steps.csv").size() == rows_of(completed / "steps.csv").size());
    const auto summary = json_of(completed / "summary.json");
    CHECK(summary.at("status") == "done");
    CHECK(summary.at("resumed_from_steps").size() == 1);
}

}  // namespace

TEST_CASE("a run that went on from an interrupted one, and could not be placed, is completed untrained",
          "[large]") {
    const TemporaryFolder folder;
    const auto spec = long_spec_with_checkpoints();
    const auto whole = run_spec(folder, spec, "whole");
    const auto file = write_spec(folder, spec);
    const auto out = (folder / "out").string();
    end_after_checkpoint(folder, file, SIGINT);
    const auto page = folder / "out.partial" / "report.html";
    {
        ConvoyProcess resumed({"run", file, "--out", out, "--resume"});
        // The page cannot be written where a folder has its name.
        REQUIRE(
            resumed.wait_until([&] { return fs::exists(folder / "out.partial" / "records" / "run.json"); }));
        fs::create_directory(page);
        const auto ended = resumed.wait();
        CHECK(ended.code == 73);
        CHECK_THAT(ended.err, Contains("`convoy recover " + out + ".partial [--out OUT]`"));
    }
    fs::remove(page);
    CHECK(json_of(folder / "out" / "summary.json").at("status") == "interrupted");
    if (GENERATE(true, false)) {
        const auto completed = run_convoy({"run", file, "--out", out, "--resume"});
        INFO(completed.err);
        REQUIRE(completed.code == 0);
        CHECK_THAT(completed.err, Contains("had been trained to the end"));
    } else {
        const auto recovered = run_convoy({"recover", out + ".partial"});
        INFO(recovered.err);
        REQUIRE(recovered.code == 0);
    }
    require_completed(whole, folder / "out");
    CHECK(json_of(folder / "out" / "environment.json").at("nodes").size() == 2);
    CHECK_FALSE(fs::exists(out + ".partial"));
    CHECK_FALSE(fs::exists(out + ".checkpoints"));
}

TEST_CASE("a run trained to its end is not trained again with other nodes") {
    const TemporaryFolder folder;
    auto spec = long_spec_with_checkpoints();
    const auto file = write_spec(folder, spec);
    const auto out = (folder / "out").string();
    {
        ConvoyProcess run({"run", file, "--out", out});
        REQUIRE(run.wait_until([&] { return fs::exists(folder / "out.partial" / "records" / "run.json"); }));
        fs::create_directory(folder / "out.partial" / "report.html");
        CHECK(run.wait().code == 73);
    }
    const auto other = run_convoy({"run", file, "--out", out, "--resume", "--set", "nodes=3"});
    CHECK(other.code == 64);
    CHECK_THAT(other.err,
               Contains("was trained to its end") && Contains("convoy recover " + out + ".partial"));
    CHECK(fs::exists(folder / "out.partial" / "weights.safetensors"));
}

TEST_CASE("a resumed run finds the journals wherever a killed run was recovered to", "[large]") {
    const TemporaryFolder folder;
    const auto spec = long_spec_with_checkpoints();
    const auto whole = run_spec(folder, spec, "whole");
    const auto file = write_spec(folder, spec);
    const auto out = (folder / "out").string();
    end_after_checkpoint(folder, file, SIGKILL);
    const auto target = folder / GENERATE("other", "./out");
    const auto recovered = run_convoy({"recover", out + ".partial", "--out", target.string()});
    INFO(recovered.err);
    REQUIRE(recovered.code == 0);
    CHECK_THAT(recovered.out, Contains("`convoy run SPEC --out " + out + " --resume` goes on"));
    CHECK(json_of(target / "summary.json").at("status") == "interrupted");
    const auto resumed = run_convoy({"run", file, "--out", out, "--resume"});
    INFO(resumed.err);
    REQUIRE(resumed.code == 0);
    CHECK_THAT(resumed.err, !Contains("are lost"));
    require_completed(whole, folder / "out");
}

TEST_CASE("a recovered run tells from which steps it went on, and what it was warned of") {
    const TemporaryFolder folder;
    auto spec = long_spec_with_checkpoints();
    spec["epochs"] = 10000;
    const auto file = write_spec(folder, spec);
    const auto out = (folder / "out").string();
    end_after_checkpoint(folder, file, SIGKILL);
    {
        ConvoyProcess resumed(
            {"run", file, "--out", out, "--resume", "--set", "nodes=1", "--set", "strategy=local"});
        REQUIRE(resumed.wait_for_error_text("/10000: node 0 has loss"));
        resumed.signal(SIGKILL);
        REQUIRE(resumed.wait().code == -SIGKILL);
    }
    REQUIRE(run_convoy({"recover", out + ".partial"}).code == 0);
    CHECK(json_of(folder / "out" / "summary.json").at("resumed_from_steps").size() == 1);
    const auto warnings = json_of(folder / "out" / "environment.json").at("warnings").dump();
    CHECK_THAT(warnings, Contains("with other nodes or another strategy: 2 ranks, now 1"));
}
