// A server by itself, with messages that arrive in a given order.

#include "train/message_handling.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "spec/parse.hpp"
#include "train/run_node.hpp"

using namespace convoy;
using nlohmann::json;

namespace {

/// A message of worker 1 arrives before any of worker 0. Each gradient of worker w is w + 1. Answers are sent
/// at once.
class FastSecondWorker final : public Communicator {
  public:
    Ticket start(ReduceBuffer buffer, const Exchange& exchange) override {
        const auto values = std::get<std::span<float>>(buffer);
        const auto worker = exchange.root;
        if (exchange.verb == ExchangeVerb::receive) {
            std::ranges::fill(values, static_cast<float>(worker + 1));
        } else {
            answers.emplace_back(worker, values.front());
        }
        under_way_[++last_] = exchange;
        return Ticket{last_};
    }
    ExchangeTimes wait(Ticket ticket) override {
        REQUIRE(under_way_.erase(static_cast<std::uint64_t>(ticket)) == 1);
        return {};
    }
    std::size_t wait_any(std::span<const Ticket> tickets) override {
        REQUIRE_FALSE(tickets.empty());
        if (waits_until_loss && (*waits_until_loss)-- == 0) throw NodeLostError("a worker is lost");
        std::size_t first = 0;
        for (std::size_t i = 0; i < tickets.size(); ++i) {
            const auto& exchange = under_way_.at(static_cast<std::uint64_t>(tickets[i]));
            if (exchange.verb == ExchangeVerb::send) return i;
            if (exchange.root > under_way_.at(static_cast<std::uint64_t>(tickets[first])).root) first = i;
        }
        return first;
    }
    void drain() noexcept override {}
    [[nodiscard]] Traffic traffic() const override { return {}; }
    [[nodiscard]] std::size_t under_way() const { return under_way_.size(); }

    std::vector<std::pair<std::int64_t, float>> answers;  ///< worker, and the first value of the answer
    std::optional<int> waits_until_loss;                  ///< then a worker is lost

  private:
    std::map<std::uint64_t, Exchange> under_way_;
    std::uint64_t last_ = 0;
};

class Noting final : public NodeReporter {
  public:
    void agree(const Fingerprints&) override {}
    void progress(const NodeProgress&) override {}
    void records(NodeRecords records) override { all.append(std::move(records)); }
    void weights(std::span<const std::byte>) override {}
    void checkpoint(NodeCheckpoint checkpoint) override { steps.push_back(checkpoint.step); }
    void suspend(const Error& /*lost*/, NodeCheckpoint /*state*/) override { ++suspensions; }

    NodeRecords all;
    int suspensions = 0;
    std::vector<std::int64_t> steps;  ///< of checkpoints
};

/// Two workers, four steps in one epoch: shares of 5 and 4 in each batch of 9.
ExperimentSpec spec_of_servers(const json& staleness, const char* changes = "{}") {
    auto spec = json::parse(R"({
        "dataset": {"name": "synthetic_digits", "train_examples": 36, "test_examples": 8},
        "model": {"input": [1, 28, 28], "layers": [
            {"type": "flatten"}, {"type": "dense", "units": 10, "activation": "softmax"}]},
        "optimizer": {"name": "sgd", "learning_rate": 0.09, "momentum": 0.0},
        "nodes": [{"threads": 1}, {"threads": 1}], "batch_size": 9, "epochs": 1,
        "strategy": {"name": "parameter_server", "bucketing": "per_tensor"}})");
    spec["strategy"]["staleness"] = staleness;
    spec.merge_patch(json::parse(changes));
    return parse_spec(spec);
}

struct Served {
    FastSecondWorker communicator;
    Noting told;
};

void serve(Served& served, const ExperimentSpec& spec) {
    NodeAssignment assignment;
    assignment.rank = 2;
    assignment.world_size = 3;
    assignment.spec = spec;
    FormedNetwork network(served.communicator, HostMap(3));
    run_node(assignment, network, served.told);
    CHECK(served.communicator.under_way() == 0);
}

/// Worker, step, version, staleness and steps ahead of each update, in order.
using Updates = std::vector<std::array<std::int64_t, 5>>;
Updates updates_of(const Served& served) {
    Updates updates;
    for (const auto& row : served.told.all.updates) {
        CHECK(row.node == 2);
        updates.push_back({row.worker, row.step, row.version, row.staleness, row.ahead});
        CHECK(row.update == std::ssize(updates));
    }
    return updates;
}

/// The updates of a run that lost a worker, and the first values of the last bucket in two answers.
struct AfterLoss {
    Updates updates;
    double first = 0.0, last = 0.0;  ///< of the first and of the last answer
};
/// A run of two workers and a server loses one of them after so many waits of the server for a message or for
/// the end of an answer. The other one, from this place, goes on behind `done` steps.
AfterLoss serve_after_loss(const json& staleness, int waits, std::int64_t left, std::int64_t done) {
    Served before, after;
    before.communicator.waits_until_loss = waits;
    NodeAssignment assignment;
    assignment.rank = 2;
    assignment.world_size = 3;
    assignment.spec = spec_of_servers(staleness, R"({"failures": "shrink"})");
    KeptNode kept;
    FormedNetwork three(before.communicator, HostMap(3));
    run_node(assignment, three, before.told, kept);
    CHECK(before.told.suspensions == 1);

    assignment.rank = 1;
    assignment.world_size = 2;
    assignment.spec.nodes.resize(1);
    assignment.generation = 1;
    assignment.apart =
        GoingApart{.shares = 2, .ranks = {{.place = left, .step = done}, {.place = 2, .step = 0}}};
    FormedNetwork two(after.communicator, HostMap(2));
    run_node(assignment, two, after.told, kept);
    CHECK(after.communicator.under_way() == 0);
    AfterLoss result{.updates = {},
                     .first = before.communicator.answers.at(1).second,
                     .last = after.communicator.answers.back().second};
    for (const auto* told : {&before.told, &after.told})
        for (const auto& row : told->all.updates) {
            result.updates.push_back({row.worker, row.step, row.version, row.staleness, row.ahead});
            CHECK(row.update == std::ssize(result.updates));
        }
    return result;
}

}  // namespace

TEST_CASE("with a bound of one step, a fast worker waits for the slowest") {
    Served served;
    serve(served, spec_of_servers(1));
    CHECK(updates_of(served) == Updates{{1, 1, 0, 0, 0},
                                        {1, 2, 1, 0, 1},
                                        {0, 1, 0, 2, 0},
                                        {1, 3, 3, 0, 1},
                                        {0, 2, 3, 1, 0},
                                        {1, 4, 5, 0, 1},
                                        {0, 3, 5, 1, 0},
                                        {0, 4, 7, 0, 0}});
    CHECK(served.told.all.steps.size() == 4);
}

TEST_CASE("without a bound, a fast worker waits at the end of the epoch only") {
    Served served;
    serve(served, spec_of_servers(nullptr));
    CHECK(updates_of(served) == Updates{{1, 1, 0, 0, 0},
                                        {1, 2, 1, 0, 1},
                                        {1, 3, 2, 0, 2},
                                        {1, 4, 3, 0, 3},
                                        {0, 1, 0, 4, 0},
                                        {0, 2, 5, 0, 0},
                                        {0, 3, 6, 0, 0},
                                        {0, 4, 7, 0, 0}});
    // The last answers of both workers have the same values, in all buckets.
    const auto& answers = served.communicator.answers;
    REQUIRE(answers.size() % 8 == 0);
    const auto buckets = answers.size() / 8;
    CHECK(buckets > 1);
    for (std::size_t i = answers.size() - buckets; i < answers.size(); ++i) {
        CHECK(answers[i - buckets].first == 0);
        CHECK(answers[i].first == 1);
        CHECK(answers[i - buckets].second == answers[i].second);
    }
}

TEST_CASE("all workers wait for each other before a checkpoint") {
    Served served;
    serve(served, spec_of_servers(nullptr, R"({"checkpoints": {"every_steps": 2}})"));
    CHECK(updates_of(served) == Updates{{1, 1, 0, 0, 0},
                                        {1, 2, 1, 0, 1},
                                        {0, 1, 0, 2, 0},
                                        {0, 2, 3, 0, 0},
                                        {1, 3, 4, 0, 0},
                                        {1, 4, 5, 0, 1},
                                        {0, 3, 4, 2, 0},
                                        {0, 4, 7, 0, 0}});
    CHECK(served.told.steps == std::vector<std::int64_t>{2});
}

TEST_CASE("an update counts by the share of its worker in the batch") {
    Served served;
    serve(served, spec_of_servers(nullptr, R"({"dataset": {"train_examples": 9}})"));
    REQUIRE(updates_of(served).size() == 2);
    Served twice;
    serve(twice, spec_of_servers(nullptr, R"({"dataset": {"train_examples": 18}})"));
    // A step of both: 0.09 times the gradients 1 and 2 of 5 and 4 of the 9 examples.
    const auto step = 0.09F * (1.0F * 5 + 2.0F * 4) / 9;
    CHECK(served.communicator.answers.back().second - twice.communicator.answers.back().second ==
          Approx(step).epsilon(1e-4));
}

TEST_CASE("a server leaves out a message that has come in part when its worker is lost") {
    // The whole message of step 1 in two waits, its answer in two, and half of the message of step 2.
    const auto run = serve_after_loss(nullptr, 5, 0, 0);
    CHECK(run.updates ==
          Updates{{1, 1, 0, 0, 0}, {0, 1, 0, 1, 0}, {0, 2, 2, 0, 0}, {0, 3, 3, 0, 0}, {0, 4, 4, 0, 0}});
    // Four gradients of 1, of 5 of 9 examples.
    CHECK(run.first - run.last == Approx(0.09 * 4 * 5 / 9).epsilon(1e-4));
}

TEST_CASE("a server takes no message twice, and waits no longer for a lost worker") {
    // The whole messages of steps 1 and 2, and the answer to the first. The other one waits for worker 0.
    const auto run = serve_after_loss(1, 6, 1, 1);
    CHECK(run.updates == Updates{{1, 1, 0, 0, 0}, {1, 2, 1, 0, 1}, {0, 3, 2, 0, 0}, {0, 4, 3, 0, 0}});
    // A gradient of 2, and behind the loss two of 1, as worker 1 has the rank 0 then: of 4 of 9 examples.
    CHECK(run.first - run.last == Approx(0.09 * (2 + 1 + 1) * 4 / 9).epsilon(1e-4));
}
