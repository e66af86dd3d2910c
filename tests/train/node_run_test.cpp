#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.hpp"
#include "spec/parse.hpp"
#include "train/run_node.hpp"

using namespace convoy;

namespace {

/// Takes every bucket, gives none back, and fails at the second: a step that ends in the middle.
class FailsInMidStep final : public Communicator {
  public:
    Ticket start(ReduceBuffer buffer, const Exchange&) override {
        if (!in_use_.empty()) throw InternalError("a step that fails");
        in_use_.push_back(std::get<std::span<float>>(buffer));
        return Ticket{0};
    }
    ExchangeTimes wait(Ticket) override { throw InternalError("nothing finishes here"); }
    std::size_t wait_any(std::span<const Ticket>) override { return 0; }
    /// As a network thread would until it has ended: writes to the buffers.
    void drain() noexcept override {
        for (const auto& buffer : in_use_) std::ranges::fill(buffer, 1.0F);
        in_use_.clear();
    }
    [[nodiscard]] Traffic traffic() const override { return {}; }
    [[nodiscard]] bool uses_buffers() const { return !in_use_.empty(); }

  private:
    std::vector<std::span<float>> in_use_;
};

class NoReporter final : public NodeReporter {
  public:
    void agree(const Fingerprints&) override {}
    void progress(const NodeProgress&) override {}
    void records(NodeRecords) override {}
    void weights(std::span<const std::byte>) override {}
};

constexpr const char* two_buckets = R"({
    "dataset": {"name": "synthetic_digits", "train_examples": 64, "test_examples": 8},
    "model": {"input": [1, 28, 28], "layers": [
        {"type": "flatten"}, {"type": "dense", "units": 8}, {"type": "dense", "units": 10, "activation": "softmax"}]},
    "nodes": 2, "batch_size": 32, "strategy": {"name": "ring_allreduce", "bucket_bytes": 64}})";

}  // namespace

TEST_CASE("a step that fails in the middle leaves no buffer in use") {
    FailsInMidStep communicator;
    NoReporter reporter;
    NodeAssignment assignment;
    assignment.world_size = 2;
    assignment.spec = parse_spec(nlohmann::json::parse(two_buckets));
    FormedNetwork network(communicator, HostMap(2));
    CHECK_THROWS_WITH(run_node(assignment, network, reporter), "a step that fails");
    CHECK_FALSE(communicator.uses_buffers());
}
