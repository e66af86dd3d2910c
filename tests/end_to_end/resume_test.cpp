// A run that was killed and goes on from a checkpoint leaves what a run in one piece leaves.

#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Ten steps an epoch: checkpoints come within epochs and at their ends.
json spec_with_checkpoints(const char* changes = "{}") {
    auto spec = small_spec();
    spec["epochs"] = is_sanitized ? 5 : 12;
    spec["checkpoints"] = {{"every_steps", 4}};
    spec.merge_patch(json::parse(changes));
    return spec;
}

/// The checkpoints of a run, oldest first.
std::vector<fs::path> checkpoints_of(const fs::path& run) {
    std::set<fs::path> files;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(run.string() + ".checkpoints", ignored))
        if (entry.path().extension() == ".checkpoint") files.insert(entry.path());
    return {files.begin(), files.end()};
}

/// Runs a spec and kills the launcher once the checkpoint of this step is there. False where it was faster.
bool kill_at(const TemporaryFolder& folder, const std::string& spec, const std::string& out,
             const char* step) {
    ConvoyProcess run({"run", spec, "--out", (folder / out).string()});
    const auto reached = [&] {
        const auto files = checkpoints_of(folder / out);
        return !files.empty() && files.back().filename().string() >= step;
    };
    REQUIRE(run.wait_until(reached));
    run.signal(SIGKILL);
    return run.wait().code == -SIGKILL;
}

Outcome resume(const TemporaryFolder& folder, const std::string& spec, const std::string& out) {
    return run_convoy({"run", spec, "--out", (folder / out).string(), "--resume"});
}

/// A CSV file without the columns that a clock decides, a row as text.
std::vector<std::string> without_times(const fs::path& file) {
    std::vector<std::string> rows;
    for (const auto& row : rows_of(file)) {
        auto kept = row;
        for (const auto& item : row.items())
            if (item.key().ends_with("_us") || item.key().ends_with("_s")) kept.erase(item.key());
        rows.push_back(kept.dump());
    }
    return rows;
}

/// Operators with their calls, but for those of the checkpoints themselves.
std::vector<std::string> calls_of(const fs::path& run) {
    std::vector<std::string> calls;
    for (const auto& row : without_times(run / "operators.csv"))
        if (row.find("\"checkpoint\"") == std::string::npos) calls.push_back(row);
    std::ranges::sort(calls);
    return calls;
}

void require_same(const fs::path& whole, const fs::path& resumed) {
    CHECK(sha256_of_weights(whole) == sha256_of_weights(resumed));
    CHECK(without_times(whole / "epochs.csv") == without_times(resumed / "epochs.csv"));
    CHECK(without_times(whole / "steps.csv") == without_times(resumed / "steps.csv"));
    CHECK(calls_of(whole) == calls_of(resumed));
    CHECK(text_of(whole / "spec.json") == text_of(resumed / "spec.json"));
}

}  // namespace

TEST_CASE("a run that is killed in mid-epoch and goes on leaves the same bits as one in one piece",
          "[large]") {
    const auto* changes = GENERATE(
        R"({})", R"({"strategy": "independent", "kernels": "xtensor", "epochs": 6})",
        R"({"sharding": {"scheme": "contiguous"}, "batch_size": 25, "optimizer": "adam",
            "model": {"input": [1, 28, 28], "layers": [
                {"type": "conv2d", "filters": 16, "kernel": 3, "stride": 2}, {"type": "batch_norm"},
                {"type": "activation", "activation": "relu"}, {"type": "flatten"},
                {"type": "dense", "units": 10, "activation": "softmax"}]}})",
        R"({"strategy": {"overlap_forward": true, "connections": 2, "bucket_bytes": 1}})",
        R"({"strategy": {"name": "parameter_server", "overlap_forward": true, "slice_bytes": 4096}})",
        R"({"strategy": {"name": "parameter_server", "servers": 2}, "optimizer": "adam"})",
        R"({"strategy": {"name": "hybrid", "cut_layers": ["dense_1"]}, "optimizer": "adam"})",
        R"({"strategy": {"name": "filter_parallel", "shares": [1, 2]}, "optimizer": "adam"})",
        R"({"strategy": {"name": "model_split", "stages": 2, "micro_batches": 3, "schedule": "zero_bubble"}})",
        R"({"strategy": {"name": "model_split", "stages": 2, "replicas": 2},
            "nodes": [{"threads": 1}, {"threads": 1}, {"threads": 1}, {"threads": 1}]})",
        R"({"strategy": {"wire_type": "top_k", "top_k": {"fraction": 0.05}, "bucket_bytes": 1},
            "optimizer": "adagrad", "nodes": [{"threads": 1}, {"threads": 1}, {"threads": 1}]})",
        R"({"strategy": {"wire_type": "top_k", "overlap_forward": true, "connections": 2}, "kernels": "xtensor"})",
        R"({"gradient_clipping": {"limit": 0.5}, "optimizer": {"name": "sgd", "momentum": 0.9},
            "strategy": {"batch_norm_statistics": "synchronised"},
            "model": {"input": [1, 28, 28], "layers": [
                {"type": "conv2d", "filters": 16, "kernel": 3, "stride": 2},
                {"type": "batch_norm", "activation": "relu"}, {"type": "flatten"},
                {"type": "dense", "units": 10, "activation": "softmax"}]}})");
    CAPTURE(changes);
    const TemporaryFolder folder;
    const auto spec = spec_with_checkpoints(changes);
    const auto whole = run_spec(folder, spec, "whole");
    CHECK_FALSE(fs::exists(folder / "whole.checkpoints"));
    const auto file = write_spec(folder, spec);
    REQUIRE(kill_at(folder, file, "cut", "step-0000000012"));
    const auto files = checkpoints_of(folder / "cut");
    REQUIRE_FALSE(files.empty());

    const auto outcome = resume(folder, file, "cut");
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK_THAT(outcome.err, Contains("goes on after step "));
    require_same(whole, folder / "cut");
    CHECK_FALSE(fs::exists(folder / "cut.checkpoints"));
    const auto summary = json_of(folder / "cut" / "summary.json");
    CHECK(summary.at("status") == "done");
    REQUIRE(summary.at("resumed_from_steps").size() == 1);
    CHECK(summary.at("resumed_from_steps")[0].get<int>() % 4 == 0);
    CHECK(summary.at("phases_s").at("checkpoint").get<double>() > 0.0);
    CHECK(json_of(whole / "summary.json").at("resumed_from_steps").empty());
}

TEST_CASE("a run goes on from the checkpoint before, wherever the newest was cut off", "[large]") {
    const TemporaryFolder folder;
    const auto spec = spec_with_checkpoints(R"({"epochs": 6, "checkpoints": {"keep": 3}})");
    const auto whole = run_spec(folder, spec, "whole");
    const auto file = write_spec(folder, spec);
    REQUIRE(kill_at(folder, file, "cut", "step-0000000012"));
    const auto files = checkpoints_of(folder / "cut");
    REQUIRE(files.size() >= 3);
    const auto size = fs::file_size(files.back());
    for (const auto length : {std::uintmax_t{0}, std::uintmax_t{100}, size / 2, size - 1}) {
        const auto name = "at-" + std::to_string(length);
        fs::copy(folder / "cut.checkpoints", folder / (name + ".checkpoints"));
        fs::copy(folder / "cut.partial", folder / (name + ".partial"), fs::copy_options::recursive);
        fs::resize_file(folder / (name + ".checkpoints") / files.back().filename(), length);
        const auto outcome = resume(folder, file, name);
        INFO(outcome.err);
        REQUIRE(outcome.code == 0);
        CHECK_THAT(outcome.err, Contains("warning: ") && Contains("not a whole checkpoint"));
        require_same(whole, folder / name);
    }
}

TEST_CASE("a run may be killed again and again", "[large]") {
    const TemporaryFolder folder;
    const auto spec = spec_with_checkpoints();
    const auto whole = run_spec(folder, spec, "whole");
    const auto file = write_spec(folder, spec);
    REQUIRE(kill_at(folder, file, "cut", "step-0000000008"));
    {
        ConvoyProcess second({"run", file, "--out", (folder / "cut").string(), "--resume"});
        const auto before = checkpoints_of(folder / "cut").back();
        REQUIRE(second.wait_until([&] {
            const auto files = checkpoints_of(folder / "cut");
            return !files.empty() && files.back() > before;
        }));
        second.signal(SIGKILL);
        REQUIRE(second.wait().code == -SIGKILL);
    }
    REQUIRE(resume(folder, file, "cut").code == 0);
    require_same(whole, folder / "cut");
    CHECK(json_of(folder / "cut" / "summary.json").at("resumed_from_steps").size() == 2);
}

TEST_CASE("an interrupted run goes on, and its folder becomes the complete one's", "[large]") {
    const TemporaryFolder folder;
    const auto spec = spec_with_checkpoints(R"({"epochs": 30})");
    const auto whole = run_spec(folder, spec, "whole");
    const auto file = write_spec(folder, spec);
    {
        ConvoyProcess run({"run", file, "--out", (folder / "cut").string()});
        REQUIRE(run.wait_until([&] { return !checkpoints_of(folder / "cut").empty(); }));
        run.signal(SIGINT);
        REQUIRE(run.wait().code == 130);
    }
    CHECK(json_of(folder / "cut" / "summary.json").at("status") == "interrupted");
    CHECK_FALSE(checkpoints_of(folder / "cut").empty());
    REQUIRE(resume(folder, file, "cut").code == 0);
    require_same(whole, folder / "cut");

    const auto again = resume(folder, file, "cut");
    CHECK(again.code == 0);
    CHECK_THAT(again.err, Contains("is complete"));
    CHECK_THAT(again.out, Contains("Result of small"));
}

TEST_CASE("what was interrupted before its first checkpoint is kept, and not resumed") {
    const TemporaryFolder folder;
    auto spec = spec_with_checkpoints(R"({"epochs": 1000, "checkpoints": {"every_steps": 1000000}})");
    const auto file = write_spec(folder, spec);
    ConvoyProcess run({"run", file, "--out", (folder / "cut").string()});
    REQUIRE(run.wait_for_error_text("epoch "));
    run.signal(SIGINT);
    const auto interrupted = run.wait();
    REQUIRE(interrupted.code == 130);
    CHECK_THAT(interrupted.err, Contains("there was no checkpoint yet, so --resume cannot go on"));
    const auto refused = resume(folder, file, "cut");
    CHECK(refused.code == 64);
    CHECK_THAT(refused.err, Contains("left no checkpoint to go on from"));
    CHECK(json_of(folder / "cut" / "summary.json").at("status") == "interrupted");
}

TEST_CASE("a run without checkpoints that is interrupted says that they would let it go on") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["epochs"] = 1000;
    ConvoyProcess run({"run", write_spec(folder, spec), "--out", (folder / "cut").string()});
    REQUIRE(run.wait_for_error_text("epoch "));
    run.signal(SIGINT);
    const auto interrupted = run.wait();
    CHECK(interrupted.code == 130);
    CHECK_THAT(interrupted.err,
               Contains("is kept; with `checkpoints` in its spec, --resume could have gone on\n"));
}

TEST_CASE("a run goes on with fewer or more nodes, and with another strategy", "[large]") {
    const TemporaryFolder folder;
    const auto spec = spec_with_checkpoints();
    const auto whole = run_spec(folder, spec, "whole");
    const auto* changes = GENERATE(
        R"({"nodes": 1, "strategy": "local"})", R"({"nodes": 3})",
        R"({"nodes": 2, "strategy": {"name": "parameter_server", "servers": 2, "bucket_bytes": 1}})");
    CAPTURE(changes);
    REQUIRE(kill_at(folder, write_spec(folder, spec), "cut", "step-0000000012"));
    auto other = spec;
    other.merge_patch(json::parse(changes));
    const auto outcome = resume(folder, write_spec(folder, other, "other.json"), "cut");
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK_THAT(outcome.err, Contains("were taken with other nodes or another strategy: 2 ranks, now "));
    const std::string told = "goes on after step ";
    const auto first = outcome.err.find(told);
    REQUIRE(first != std::string::npos);
    CHECK(outcome.err.find(told, first + 1) == std::string::npos);
    const auto expected = rows_of(whole / "epochs.csv");
    const auto found = rows_of(folder / "cut" / "epochs.csv");
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        for (const auto* column : {"train_loss", "test_loss"}) {
            const auto loss = [&](const json& row) { return std::stod(row.at(column).get<std::string>()); };
            CHECK(loss(found[i]) == Approx(loss(expected[i])).epsilon(1e-4));
        }
    }
    CHECK(json_of(folder / "cut" / "summary.json").at("status") == "done");
}

TEST_CASE("a run goes on with other settings that are no part of the training, its nodes as they were") {
    const TemporaryFolder folder;
    const auto spec = spec_with_checkpoints(R"({"strategy": "independent"})");
    const auto whole = run_spec(folder, spec, "whole");
    REQUIRE(kill_at(folder, write_spec(folder, spec), "cut", "step-0000000012"));
    auto other = spec;
    other["deadline_s"] = 120;
    other["name"] = "other";
    const auto outcome = resume(folder, write_spec(folder, other, "other.json"), "cut");
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK_THAT(outcome.err, !Contains("than before"));
    CHECK(sha256_of_weights(whole) == sha256_of_weights(folder / "cut"));
    CHECK(without_times(whole / "steps.csv") == without_times(folder / "cut" / "steps.csv"));
}

TEST_CASE("nodes with contiguous parts of the data go on with other nodes at the end of an epoch only") {
    const TemporaryFolder folder;
    auto spec = spec_with_checkpoints(R"({"sharding": {"scheme": "contiguous"}})");
    REQUIRE(kill_at(folder, write_spec(folder, spec), "cut", "step-0000000004"));
    spec["nodes"] = 3;
    const auto refused = resume(folder, write_spec(folder, spec), "cut");
    CHECK(refused.code == 65);
    CHECK_THAT(refused.err, Contains("$.sharding.scheme") && Contains("within an epoch"));

    spec["checkpoints"]["every_steps"] = 10;
    REQUIRE(kill_at(folder, write_spec(folder, spec), "at-ends", "step-0000000010"));
    spec["nodes"] = 2;
    const auto outcome = resume(folder, write_spec(folder, spec), "at-ends");
    INFO(outcome.err);
    CHECK(outcome.code == 0);
}

TEST_CASE("what cannot be resumed is said in one line", "[large]") {
    const TemporaryFolder folder;
    const auto spec = spec_with_checkpoints();
    const auto file = write_spec(folder, spec);
    REQUIRE(kill_at(folder, file, "cut", "step-0000000004"));
    auto other = spec;
    other["seed"] = 2;
    const auto wrong = resume(folder, write_spec(folder, other, "other.json"), "cut");
    CHECK(wrong.code == 65);
    CHECK_THAT(wrong.err, Contains("is of run ") && Contains("and this spec is run "));
    const auto fresh = run_convoy({"run", file, "--out", (folder / "cut").string()});
    CHECK(fresh.code == 64);
    CHECK_THAT(fresh.err, Contains("cut.checkpoints: holds checkpoints of a run that is not complete"));

    const auto begins = resume(folder, file, "new");
    CHECK(begins.code == 0);
    CHECK_THAT(begins.err, Contains("no checkpoint in ") && Contains("starts from the beginning"));
    const auto another = resume(folder, (folder / "other.json").string(), "new");
    CHECK(another.code == 64);
    CHECK_THAT(another.err, Contains("new: holds run "));
    auto without = spec;
    without.erase("checkpoints");
    const auto none = resume(folder, write_spec(folder, without, "without.json"), "none");
    CHECK(none.code == 0);
    CHECK_THAT(none.err, Contains("the spec has no checkpoints"));
}

TEST_CASE("a sweep goes on in the middle of a run", "[large]") {
    const TemporaryFolder folder;
    const json sweep{{"name", "two"}, {"base", spec_with_checkpoints()}, {"grid", {{"seed", {1, 2}}}}};
    const auto file = write_spec(folder, sweep, "sweep.json");
    const std::vector<std::string> whole{"sweep", file, "--out", (folder / "whole").string()};
    REQUIRE(run_convoy(whole).code == 0);
    const std::vector<std::string> cut{"sweep", file, "--out", (folder / "cut").string()};
    const auto runs = folder / "cut" / "runs";
    {
        ConvoyProcess process(cut);
        const auto begun = [&] {
            std::error_code ignored;
            for (const auto& entry : fs::directory_iterator(runs, ignored)) {
                const auto name = entry.path().string();
                const auto end = name.rfind(".checkpoints");
                if (end != std::string::npos && !checkpoints_of(name.substr(0, end)).empty()) return true;
            }
            return false;
        };
        REQUIRE(process.wait_until(begun));
        process.signal(SIGKILL);
        process.wait();
    }
    auto more = cut;
    more.emplace_back("--resume");
    const auto outcome = run_convoy(more);
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK_THAT(outcome.err, Contains("goes on after step "));
    int compared = 0;
    for (const auto& entry : fs::directory_iterator(folder / "whole" / "runs")) {
        require_same(entry.path(), runs / entry.path().filename());
        ++compared;
    }
    CHECK(compared == 2);
    CHECK(std::distance(fs::directory_iterator(runs), fs::directory_iterator{}) == 2);
}
