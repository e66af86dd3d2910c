// A node reads only the data that its plan wants: the other files may be missing, or may differ.

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "data/idx_files.hpp"
#include "spec/parse.hpp"
#include "train/memory_cluster.hpp"
#include "train/node_data.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

constexpr const char* image_file = "mnist/train-images-idx3-ubyte";
constexpr const char* label_file = "mnist/train-labels-idx1-ubyte";

/// Eight steps in two epochs on the files of write_small_dataset, on two nodes.
ExperimentSpec role_spec(const char* strategy) {
    auto spec = json::parse(R"({
        "dataset": {"name": "mnist", "train_examples": 16, "test_examples": 6, "subtract_mean": true},
        "model": {"input": [1, 28, 28], "layers": [
            {"type": "flatten"}, {"type": "dense", "units": 8, "activation": "relu"},
            {"type": "dropout", "rate": 0.25}, {"type": "dense", "units": 10, "activation": "softmax"}]},
        "nodes": 2, "batch_size": 4, "epochs": 2, "deadline_s": 20})");
    spec["strategy"] = json::parse(strategy);
    return parse_spec(spec);
}

constexpr const char* with_server = R"({"name": "parameter_server"})";
constexpr const char* two_stages =
    R"({"name": "model_split", "stages": [["flatten_1", "dense_1"], ["dropout_1", "dense_2"]]})";

/// A data folder of its own for one rank, with the small dataset.
struct OwnFolder {
    explicit OwnFolder(std::int64_t rank) : rank_(rank) {
        write_small_dataset(common, "mnist", false);
        write_small_dataset(own, "mnist", false);
    }
    [[nodiscard]] std::vector<NodeOutcome> run(const char* strategy) const {
        return run_memory_cluster(role_spec(strategy), 2,
                                  {.data_folder = common.path(), .own_data_folders = {{rank_, own.path()}}});
    }
    TemporaryFolder common, own;

  private:
    std::int64_t rank_;
};

void check_done(const std::vector<NodeOutcome>& cluster) {
    for (const auto& node : cluster) CHECK(node.end.message == "");
}

}  // namespace

TEST_CASE("a parameter server needs no data") {
    const OwnFolder folders(2);
    std::filesystem::remove_all(folders.own.path() / "mnist");
    const auto cluster = folders.run(with_server);
    REQUIRE(cluster.size() == 3);
    check_done(cluster);
    CHECK(step_losses(cluster).size() == 8);
    for (const auto& epoch : cluster[2].records.epochs) {
        CHECK(epoch.train.examples == 0);
        CHECK(epoch.test.examples == 0);
    }
}

TEST_CASE("a stage needs only the parts that it reads, and its metrics are those of the loss") {
    const OwnFolder folders(1);
    const auto expected = folders.run(two_stages);
    check_done(expected);
    std::filesystem::remove(folders.common.path() / label_file);
    std::filesystem::remove(folders.own.path() / image_file);
    const auto cluster = folders.run(two_stages);
    check_done(cluster);
    CHECK(step_losses(cluster) == step_losses(expected));
    CHECK(step_losses(cluster).size() == 8);
    CHECK(cluster[1].weights == expected[1].weights);
    for (std::size_t epoch = 0; epoch < 2; ++epoch) {
        CHECK(cluster[0].records.epochs.at(epoch).test.examples == 0);
        CHECK(cluster[1].records.epochs.at(epoch).test.examples == 6);
        CHECK(cluster[1].records.epochs.at(epoch).train.examples == 16);
    }
}

TEST_CASE("nodes that read different labels disagree on the labels") {
    const OwnFolder folders(1);
    folders.own.write(label_file, idx_bytes({20}, pattern(20, 9)));
    for (const auto& node : folders.run(R"({"name": "ring_allreduce"})")) {
        CHECK(node.end.code == ExitCode::disagreement);
        CHECK_THAT(node.end.message, Contains("disagree on labels"));
    }
}

TEST_CASE("nodes that read different values disagree on the values, but a stage that reads none does not") {
    const OwnFolder folders(1);
    folders.own.write(image_file, idx_bytes({20, 28, 28}, pattern(20 * 784, 241)));
    for (const auto& node : folders.run(R"({"name": "ring_allreduce"})")) {
        CHECK(node.end.code == ExitCode::disagreement);
        CHECK_THAT(node.end.message, Contains("disagree on values"));
    }
    check_done(folders.run(two_stages));
}

TEST_CASE("data of another shape than the planned one is refused with the difference") {
    const OwnFolder folders(0);
    NodeAssignment assignment;
    assignment.spec = role_spec(two_stages);
    assignment.data_folder = folders.own.path();
    auto planned = data_shape(assignment.spec, folders.own.path());
    CHECK(load_node_data(assignment, {.labels = true}, planned).splits);
    CHECK_FALSE(load_node_data(assignment, {.numbers = true}, planned).splits);
    planned.sizes.train = 17;
    CHECK_THROWS_WITH(load_node_data(assignment, {.labels = true}, planned),
                      Contains("found 16 training examples, but the run was planned for 17"));
    CHECK_FALSE(load_node_data(assignment, {}, planned).splits);
}
