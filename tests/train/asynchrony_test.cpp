// Workers that take steps apart, on a cluster in this process. The order of messages is that of threads, so
// these tests check what holds for any order.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "spec/parse.hpp"
#include "train/memory_cluster.hpp"

using namespace convoy;
using namespace convoy::test;
using nlohmann::json;

namespace {

/// Twelve steps an epoch, with batch normalisation and dropout.
ExperimentSpec spec_with(const json& staleness, const char* changes = "{}") {
    auto spec = json::parse(R"({
        "dataset": {"name": "synthetic_digits", "train_examples": 240, "test_examples": 40},
        "model": {"input": [1, 28, 28], "layers": [
            {"type": "conv2d", "filters": 8, "kernel": 5, "stride": 3}, {"type": "batch_norm"},
            {"type": "activation", "activation": "relu"}, {"type": "dropout", "rate": 0.1},
            {"type": "flatten"}, {"type": "dense", "units": 10, "activation": "softmax", "l2": 0.001}]},
        "optimizer": {"name": "adam", "learning_rate": 0.003},
        "batch_size": 20, "epochs": 3, "deadline_s": 60,
        "strategy": {"name": "parameter_server", "servers": 2, "bucket_bytes": 8192}})");
    spec["strategy"]["staleness"] = staleness;
    spec.merge_patch(json::parse(changes));
    return parse_spec(spec);
}

void require_done(const std::vector<NodeOutcome>& cluster) {
    for (const auto& node : cluster) REQUIRE(node.end.message == "");
}

/// Checks the records of one server, as they came: each update once, in order, and no worker more than `most`
/// steps ahead when it got the values of a step. Steps before `first` were done before.
void check_updates(const std::vector<UpdateRecord>& rows, std::int64_t workers, std::int64_t steps,
                   std::int64_t most, std::int64_t first = 1) {
    REQUIRE(std::ssize(rows) == workers * (steps - first + 1));
    const auto before = (first - 1) * workers;
    // By number of updates so far: the steps that each worker has done.
    std::vector<std::vector<std::int64_t>> done{
        std::vector<std::int64_t>(static_cast<std::size_t>(workers), first - 1)};
    for (const auto& row : rows) {
        CAPTURE(row.update, row.worker, row.step, row.version);
        CHECK(row.update == before + std::ssize(done));
        CHECK(row.staleness == row.update - 1 - row.version);
        REQUIRE(row.version >= before);
        REQUIRE(row.version < row.update);
        const auto worker = static_cast<std::size_t>(row.worker);
        CHECK(row.step == done.back().at(worker) + 1);
        const auto& then = done.at(static_cast<std::size_t>(row.version - before));
        CHECK(then.at(worker) == row.step - 1);  // the answer came behind the worker's own update
        const auto ahead = row.step - 1 - std::ranges::min(then);
        CHECK(row.ahead == ahead);
        CHECK(ahead <= most);
        auto now = done.back();
        ++now.at(worker);
        done.push_back(std::move(now));
    }
    CHECK(std::ranges::count(done.back(), steps) == workers);
}

}  // namespace

TEST_CASE("no worker is further ahead than the bound, and each update is recorded once") {
    const std::int64_t bound = GENERATE(1, 2, 5);
    // Worker 0 has most of the work.
    const auto spec = spec_with(bound, R"({"nodes": 3, "strategy": {"balance": [16, 1, 1]}})");
    const auto cluster = run_memory_cluster(spec, 3);
    require_done(cluster);
    REQUIRE(cluster.size() == 5);
    for (const auto server : {3, 4}) {
        CAPTURE(bound, server);
        check_updates(cluster.at(server).records.updates, 3, 36, bound);
        CHECK(cluster.at(server).records.steps.size() == 36);
    }
    for (const auto worker : {0, 1, 2}) CHECK(cluster.at(worker).records.updates.empty());
}

TEST_CASE("workers without a bound train the network") {
    // Steps enough that the order of updates makes little difference: of 200 test examples, 122 to 137 are
    // right.
    const auto spec = spec_with(nullptr, R"({"epochs": 8, "dataset": {"test_examples": 200}})");
    const auto cluster = run_memory_cluster(spec, 3);
    require_done(cluster);
    for (const auto server : {3, 4}) check_updates(cluster.at(server).records.updates, 3, 96, 12);
    const auto losses = step_losses(cluster);
    REQUIRE(losses.size() == 96);
    const auto mean = [&](std::size_t from) {
        double sum = 0.0;
        for (std::size_t i = from; i < from + 6; ++i) sum += losses[i] / 6;
        return sum;
    };
    CHECK(mean(90) < 0.6 * mean(0));
    // All workers evaluated the same values.
    std::int64_t correct = 0;
    for (const auto& node : cluster) correct += node.records.epochs.back().test.correct;
    CHECK(correct > 80);  // of 200; chance would be 20
}

TEST_CASE("one worker alone takes the same steps with and without staleness") {
    const auto* changes = GENERATE(
        R"({})", R"({"optimizer": {"name": "sgd", "learning_rate": 0.05, "momentum": 0.9}})",
        R"({"gradient_clipping": {"by": "norm", "limit": 0.05}, "schedule": {"name": "cosine", "warm_up_epochs": 0.5}})",
        R"({"strategy": {"commit": "by_step", "overlap": false, "connections": 2}, "kernels": "xtensor"})");
    CAPTURE(changes);
    const auto apart = run_memory_cluster(spec_with(nullptr, changes), 1);
    const auto together = run_memory_cluster(spec_with(0, changes), 1);
    require_done(apart);
    require_done(together);
    CHECK(step_losses(apart) == step_losses(together));
    CHECK(apart[0].weights == together[0].weights);
    CHECK(apart[1].records.updates.size() == 36);
    CHECK(together[1].records.updates.empty());
}

TEST_CASE("a run of workers apart goes on from a checkpoint, and records each update once") {
    const auto* changes = R"({"checkpoints": {"every_steps": 5}, "epochs": 1})";
    const std::int64_t workers = GENERATE(1, 3);
    const auto spec = spec_with(2, changes);
    const auto whole = run_memory_cluster(spec, workers);
    require_done(whole);
    const auto servers = static_cast<std::size_t>(workers);
    for (std::size_t which = 0; which < 2; ++which) {
        std::vector<NodeCheckpoint> resume;
        for (const auto& node : whole) resume.push_back(node.checkpoints.at(which));
        const auto rest = run_memory_cluster(spec, workers, {.resume = resume});
        require_done(rest);
        for (auto server = servers; server < rest.size(); ++server) {
            check_updates(rest[server].records.updates, workers, 12, 2, resume.front().step + 1);
            std::vector<UpdateRecord> all = whole[server].records.updates;
            check_updates(all, workers, 12, 2);
        }
        if (workers == 1) CHECK(rest[0].weights == whole[0].weights);
    }
}

TEST_CASE("a worker or a server that is lost ends a run of workers apart, and is named") {
    const auto staleness = GENERATE(json(2), json());
    const auto spec = spec_with(staleness, R"({"epochs": 1, "deadline_s": 20})");
    const auto whole = run_memory_cluster(spec, 3);
    require_done(whole);
    for (const std::int64_t lost : {1, 4}) {
        const auto frames = whole.at(static_cast<std::size_t>(lost)).sent_frames;
        for (const auto frame : {std::int64_t{0}, frames / 2}) {
            const auto run = run_memory_cluster(spec, 3, {.death = Death{lost, frame}});
            CAPTURE(lost, frame, frames);
            for (const auto& node : run) CHECK(node.end.code == ExitCode::node_lost);
            CHECK(std::ranges::any_of(run, [&](const NodeOutcome& node) {
                return node.end.message.starts_with(fmt::format("node {}: ", lost));
            }));
        }
    }
}
