#include "collective/library_communicator.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <future>
#include <string>
#include <thread>
#include <vector>

using namespace convoy;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

/// Doubles what it is to sum, and notes its calls.
class Doubling final : public LibraryAllReduce {
  public:
    struct Seen {
        std::vector<std::string> calls;
        std::promise<void> began, released;  ///< a sum of 7 tells that it began, and waits to be released
        bool begins = true;
    };
    explicit Doubling(Seen& seen) : seen_(seen) {}

    void begin() override {
        seen_.calls.emplace_back("begin");
        if (!seen_.begins) throw ClusterError("no such library");
    }
    void sum(std::span<float> values) override {
        seen_.calls.push_back("sum of " + std::to_string(static_cast<int>(values.front())));
        if (values.front() == 7.0F) {
            seen_.began.set_value();
            seen_.released.get_future().wait();
        }
        if (values.front() < 0.0F) throw NodeLostError("a rank has gone");
        for (auto& value : values) value *= 2.0F;
    }
    void end() override { seen_.calls.emplace_back("end"); }

  private:
    Seen& seen_;
};

/// Adds one at once.
class Adding final : public Communicator {
  public:
    Ticket start(ReduceBuffer buffer, const Exchange& /*exchange*/) override {
        std::get<std::span<float>>(buffer).front() += 1.0F;
        return Ticket{started++};
    }
    ExchangeTimes wait(Ticket ticket) override {
        waited = static_cast<std::uint64_t>(ticket);
        ExchangeTimes times;
        times.sent_bytes = times.received_bytes = 4;
        return times;
    }
    std::size_t wait_any(std::span<const Ticket> tickets) override { return tickets.size() - 1; }
    void drain() noexcept override { drained = true; }
    [[nodiscard]] Traffic traffic() const override {
        return {.sent_bytes = 40, .received_bytes = 40, .retransmits = 3};
    }
    std::uint64_t started = 0, waited = 99;
    bool drained = false;
};

const Exchange by_mpi{.options = {.algorithm = AllReduceAlgorithm::mpi}};
const Exchange by_ring{.options = {.algorithm = AllReduceAlgorithm::ring}};

struct GivenUp {
    std::string why;
};

LibraryCommunicator::Options patient() {
    return {.deadline = 60s, .give_up = [](const Error& error) { throw GivenUp{error.what()}; }};
}

}  // namespace

TEST_CASE("sums of the library are done in the order of their starts, and others by the own communicator") {
    Doubling::Seen seen;
    Adding own;
    std::array<float, 2> first{1, 2}, second{3, 4}, other{5, 6};
    {
        LibraryCommunicator both(own, std::make_unique<Doubling>(seen), patient());
        const auto one = both.start(first, by_mpi);
        const auto two = both.start(second, by_mpi);
        const auto three = both.start(other, by_ring);
        CHECK(both.wait(three).sent_bytes == 4);
        CHECK(own.waited == 0);
        const auto later = both.wait(two), times = both.wait(one);
        CHECK(first == std::array<float, 2>{2, 4});
        CHECK(second == std::array<float, 2>{6, 8});
        CHECK(other == std::array<float, 2>{6, 6});
        CHECK(times.started <= times.began);
        CHECK(times.peers_began == times.began);
        CHECK(times.finished <= later.began);
        CHECK_FALSE(times.sent_bytes);
        CHECK_FALSE(times.received_bytes);
        CHECK_FALSE(both.run(first, by_mpi).sent_bytes);
        CHECK(both.wait_any(std::array{three}) == 0);
        CHECK_THROWS_AS(both.wait_any(std::array{one, three}), InternalError);
        both.finish();
    }
    CHECK(own.drained);
    CHECK(seen.calls == std::vector<std::string>{"begin", "sum of 1", "sum of 3", "sum of 2", "end"});
}

TEST_CASE("nobody knows the bytes of the library, and an unclean end does not leave the others") {
    Doubling::Seen seen;
    Adding own;
    {
        const LibraryCommunicator both(own, std::make_unique<Doubling>(seen), patient());
        CHECK_FALSE(both.traffic().sent_bytes);
        CHECK_FALSE(both.traffic().received_bytes);
        CHECK(both.traffic().retransmits == 3);
    }
    CHECK(seen.calls == std::vector<std::string>{"begin"});
}

TEST_CASE("a sum that fails ends all later ones with its error") {
    Doubling::Seen seen;
    Adding own;
    LibraryCommunicator both(own, std::make_unique<Doubling>(seen), patient());
    std::array<float, 1> lost{-1}, later{2};
    const auto ticket = both.start(lost, by_mpi);
    CHECK_THROWS_AS(both.wait(ticket), NodeLostError);
    CHECK_THROWS_AS(both.start(later, by_mpi), NodeLostError);
    CHECK(later.front() == 2.0F);
}

TEST_CASE("a library that cannot begin is an error") {
    Doubling::Seen seen;
    seen.begins = false;
    Adding own;
    CHECK_THROWS_AS(LibraryCommunicator(own, std::make_unique<Doubling>(seen), patient()), ClusterError);
}

TEST_CASE("a sum that is not done in time is given up, with the name of the call") {
    Doubling::Seen seen;
    Adding own;
    auto options = patient();
    options.deadline = 20ms;
    LibraryCommunicator both(own, std::make_unique<Doubling>(seen), options);
    std::array<float, 1> stuck{7};
    const auto ticket = both.start(stuck, by_mpi);
    try {
        both.wait(ticket);
        FAIL("the wait returned");
    } catch (const GivenUp& given_up) {
        CHECK_THAT(given_up.why, Contains("MPI_Allreduce was not done within 0.02 s"));
    }
    seen.released.set_value();
}

TEST_CASE("to drain waits for the sum that runs, and leaves those behind it undone") {
    Doubling::Seen seen;
    Adding own;
    LibraryCommunicator both(own, std::make_unique<Doubling>(seen), patient());
    std::array<float, 1> running{7}, queued{2};
    const auto first = both.start(running, by_mpi);
    const auto second = both.start(queued, by_mpi);
    seen.began.get_future().wait();
    auto drained = std::async(std::launch::async, [&] { both.drain(); });
    const auto takes_no_more = [&] {
        try {
            both.start(queued, by_mpi);
            return false;
        } catch (const NodeLostError&) {
            return true;
        }
    };
    while (!takes_no_more()) std::this_thread::yield();
    seen.released.set_value();
    drained.get();
    CHECK(running.front() == 14.0F);
    CHECK_NOTHROW(both.wait(first));
    CHECK(queued.front() == 2.0F);
    CHECK_THROWS_AS(both.wait(second), NodeLostError);
}

TEST_CASE("the library sums floats over all ranks and nothing else") {
    Doubling::Seen seen;
    Adding own;
    LibraryCommunicator both(own, std::make_unique<Doubling>(seen), patient());
    std::array<std::int64_t, 1> exact{1};
    std::array<float, 1> plain{1};
    CHECK_THROWS_AS(both.start(exact, by_mpi), InternalError);
    auto some = by_mpi;
    some.group = {0, 1};
    CHECK_THROWS_AS(both.start(plain, some), InternalError);
    auto half = by_mpi;
    half.options.wire_type = WireType::bfloat16;
    CHECK_THROWS_AS(both.start(plain, half), InternalError);
    CHECK_THROWS_AS(both.wait(Ticket{std::uint64_t{1} << 63U}), InternalError);
}
