#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "collective/ending.hpp"
#include "collective/hosts_of.hpp"
#include "collective/run.hpp"
#include "collective/same_bits.hpp"
#include "exchange/algorithms.hpp"
#include "exchange/every_algorithm.hpp"
#include "net/frame.hpp"
#include "net/memory_fabric.hpp"
#include "support/sanitized.hpp"

using namespace convoy::test;
namespace asio = boost::asio;
using Algorithm = convoy::AllReduceAlgorithm;
using Wire = convoy::WireType;
using namespace std::chrono_literals;

namespace {

using Floats = std::vector<float>;

/// Values in [-1, 1) that differ from rank to rank and in all their bits.
Floats values(std::size_t rank, std::size_t count) {
    Floats made(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto scrambled = static_cast<std::uint32_t>(i + 1'000'003 * rank) * 2'654'435'761U;
        made[i] = static_cast<float>(scrambled) / 0x1p31F - 1.0F;
    }
    return made;
}

struct Settings {
    Algorithm algorithm = Algorithm::ring;
    std::int64_t segment_bytes = 1 << 18;
    std::int64_t depth = 4;
    Wire wire = Wire::float32;
};

asio::awaitable<convoy::ExchangeTimes> all_reduce(convoy::Fabric& fabric, Floats& buffer, Settings settings) {
    return summed(fabric, buffer,
                  {.algorithm = settings.algorithm,
                   .segment_bytes = settings.segment_bytes,
                   .wire_type = settings.wire},
                  settings.depth);
}

convoy::FabricOptions on_hosts(convoy::FabricOptions options, std::size_t ranks) {
    options.host_of_rank = hosts_of(ranks);
    return options;
}

/// Ranks inside this thread. Each runs what it is given, then all are run to their ends.
struct Ranks {
    asio::io_context io{1};
    std::vector<std::unique_ptr<convoy::Fabric>> fabrics;
    std::vector<std::future<convoy::ExchangeTimes>> ends;

    explicit Ranks(std::size_t ranks, convoy::FabricOptions options = {}, std::size_t link_bytes = 1U << 16U)
        : fabrics(convoy::make_memory_fabrics(
              io.get_executor(), static_cast<std::int64_t>(ranks),
              [ranks](std::int64_t rank) {
                  return convoy::partners_of(rank, convoy::HostMap(hosts_of(ranks)),
                                             {{Algorithm::pairwise, Algorithm::hierarchical}});
              },
              on_hosts(options, ranks), link_bytes)) {}

    void start(std::size_t rank, Floats& buffer, Settings settings = {}) {
        ends.push_back(asio::co_spawn(io, all_reduce(*fabrics[rank], buffer, settings), asio::use_future));
    }
    void finish() {
        io.restart();
        for (auto& end : ends) {
            while (end.wait_for(0s) != std::future_status::ready) io.run_one();
        }
    }
};

/// Reduces once and gives every rank's result.
std::vector<Floats> reduce(std::size_t ranks, std::size_t count, Settings options) {
    Ranks ring(ranks);
    std::vector<Floats> buffers;
    for (std::size_t rank = 0; rank < ranks; ++rank) buffers.push_back(values(rank, count));
    for (std::size_t rank = 0; rank < ranks; ++rank) ring.start(rank, buffers[rank], options);
    ring.finish();
    for (auto& end : ring.ends) end.get();
    return buffers;
}

/// The largest difference to the sum in double precision.
double largest_error(const Floats& found, std::size_t ranks) {
    std::vector<double> sum(found.size());
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        const auto part = values(rank, found.size());
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(part[i]);
    }
    double largest = 0.0;
    for (std::size_t i = 0; i < sum.size(); ++i) {
        const auto error = std::abs(static_cast<double>(found[i]) - sum[i]);
        largest = std::max(largest, std::isnan(error) ? 1e300 : error);
    }
    return largest;
}

/// How far a sum of values up to 1 may be off: every rank's rounding of sums up to their number.
double tolerance(Wire wire, std::size_t ranks) {
    const auto n = static_cast<double>(ranks);
    return wire == Wire::float32 ? n * 1e-6 : n * n * (wire == Wire::float16 ? 0x1p-11 : 0x1p-8);
}

void check_sums(std::size_t ranks, std::size_t count, Settings options) {
    INFO("algorithm " << static_cast<int>(options.algorithm) << ", " << ranks << " ranks, " << count
                      << " elements, segments of " << options.segment_bytes << " bytes, depth "
                      << options.depth);
    const auto results = reduce(ranks, count, options);
    CHECK(largest_error(results[0], ranks) < tolerance(options.wire, ranks));
    for (const auto& each : results) CHECK(same_bits(each, results[0]));
    if (count > 0) CHECK(same_bits(reduce(ranks, count, options)[0], results[0]));
}

}  // namespace

TEST_CASE("1 to 8 ranks sum every size, the same bits on all and every time") {
    for (const auto algorithm : every_algorithm) {
        for (std::size_t ranks = 1; ranks <= 8; ++ranks) {
            for (const std::size_t count : {0, 1, 17, 1009}) {
                check_sums(ranks, count, {algorithm, 64, 1});
                check_sums(ranks, count, {algorithm, 100, 3});
            }
            for (const std::size_t count : {7, 16, 20'011}) {
                check_sums(ranks, count, {algorithm, 1000, 2});
                check_sums(ranks, count, {algorithm, 4096, 1000});
                check_sums(ranks, count, {algorithm});
            }
        }
    }
}

TEST_CASE("integers are summed exactly, whatever the algorithm and the wire type") {
    for (const auto algorithm : every_algorithm) {
        for (const std::size_t ranks : {2U, 3U, 5U, 8U}) {
            Ranks ring(ranks);
            const std::size_t count = 1009;
            std::vector<std::vector<std::int64_t>> buffers(ranks, std::vector<std::int64_t>(count));
            std::vector<std::int64_t> sums(count);
            for (std::size_t rank = 0; rank < ranks; ++rank) {
                for (std::size_t i = 0; i < count; ++i) {
                    const auto sign = (i + rank) % 2 == 0 ? 1 : -1;
                    buffers[rank][i] =
                        sign * ((std::int64_t{1} << 59) + static_cast<std::int64_t>(2 * i * rank + 1));
                    sums[i] += buffers[rank][i];
                }
            }
            for (std::size_t rank = 0; rank < ranks; ++rank) {
                ring.ends.push_back(asio::co_spawn(
                    ring.io,
                    summed(*ring.fabrics[rank], buffers[rank],
                           {.algorithm = algorithm, .segment_bytes = 1000, .wire_type = Wire::float16}, 2),
                    asio::use_future));
            }
            ring.finish();
            for (auto& end : ring.ends) end.get();
            for (const auto& each : buffers) CHECK(each == sums);
        }
    }
}

TEST_CASE("large sums, in segments small and large") {
    const std::size_t count = convoy::test::has_thread_sanitizer ? 200'003 : 1'000'003;
    for (const auto algorithm : every_algorithm) {
        for (const std::size_t ranks : {2U, 3U, 8U}) {
            check_sums(ranks, count, {algorithm});
            check_sums(ranks, count, {algorithm, 16384, 2});
        }
    }
}

TEST_CASE("narrow types on the wire round, to the same bits on all ranks") {
    for (const auto wire : {Wire::float16, Wire::bfloat16}) {
        for (const auto algorithm : every_algorithm) {
            for (std::size_t ranks = 1; ranks <= 8; ++ranks) {
                for (const std::size_t count : {0, 1, 17, 20'011})
                    check_sums(ranks, count, {algorithm, 4096, 2, wire});
            }
        }
    }
}

TEST_CASE("a narrow type halves the bytes") {
    const auto sent = [](Wire wire) {
        Ranks ring(4);
        std::vector<Floats> buffers(4, Floats(4096, 1.0F));
        for (std::size_t rank = 0; rank < 4; ++rank)
            ring.start(rank, buffers[rank], {.algorithm = Algorithm::ring, .wire = wire});
        ring.finish();
        for (auto& end : ring.ends) end.get();
        CHECK(buffers[3] == Floats(4096, 4.0F));
        return ring.fabrics[0]->sent_bytes() - 6 * convoy::frame_header_bytes;
    };
    CHECK(sent(Wire::float16) * 2 == sent(Wire::float32));
    CHECK(sent(Wire::bfloat16) * 2 == sent(Wire::float32));
}

TEST_CASE("the segment size and the depth change no bit for two ranks") {
    const auto plain = reduce(2, 10'007, {.segment_bytes = 1 << 20});
    CHECK(same_bits(reduce(2, 10'007, {.segment_bytes = 128, .depth = 2})[1], plain[0]));
}

TEST_CASE("times are in order, and the bytes are those of the algorithm") {
    constexpr std::size_t ranks = 4, count = 4096;
    Ranks ring(ranks);
    std::vector<std::vector<float>> buffers(ranks, std::vector<float>(count, 1.0F));
    for (std::size_t rank = 0; rank < ranks; ++rank) ring.start(rank, buffers[rank]);
    ring.finish();
    for (auto& end : ring.ends) {
        const auto times = end.get();
        CHECK(times.started <= times.began);
        CHECK(times.began <= times.peers_began);
        CHECK(times.peers_began <= times.finished);
    }
    const auto frames = 2 * (ranks - 1);
    for (const auto& fabric : ring.fabrics) {
        CHECK(fabric->sent_bytes() == frames * (count / ranks * sizeof(float) + convoy::frame_header_bytes));
        CHECK(fabric->received_bytes() == fabric->sent_bytes());
    }
}

TEST_CASE("options out of range are refused") {
    Ranks ring(1);
    std::vector<float> buffer(1);
    ring.start(0, buffer, {.segment_bytes = 63});
    ring.start(0, buffer, {.depth = 0});
    ring.finish();
    for (auto& end : ring.ends) CHECK_THROWS_AS(end.get(), convoy::InternalError);
}

TEST_CASE("ranks that disagree end with code 76 on every rank") {
    const std::size_t ranks = GENERATE(2, 3, 5);
    const std::size_t count = GENERATE(0, 100, 300'000);
    const std::size_t odd = ranks - 1;
    CAPTURE(ranks, count);
    Ranks ring(ranks);
    std::vector<std::vector<float>> buffers(ranks, std::vector<float>(count));
    Settings options{.segment_bytes = 4096};
    auto odd_options = options;
    std::string field;
    SECTION("on the size") {
        buffers[odd].resize(count + 1);
        field = "element count";
    }
    SECTION("on the sequence number") {
        const std::array next{std::int64_t{0}}, previous{static_cast<std::int64_t>(odd) - 1};
        const auto earlier = ring.fabrics[odd]->use("an exchange of its own", next, previous);
        field = "sequence number";
    }
    SECTION("on the type") {
        odd_options.wire = Wire::float16;
        field = "element type";
    }
    SECTION("on the segment size") {
        if (count < 1000) return;  // one segment holds it all: there is nothing to disagree on
        odd_options.segment_bytes = 2048;
        field = "in collective 0";
    }
    for (std::size_t rank = 0; rank < odd; ++rank) ring.start(rank, buffers[rank], options);
    ring.start(odd, buffers[odd], odd_options);
    ring.finish();
    for (auto& end : ring.ends) {
        const auto [code, text] = ending(end);
        CHECK(code == 76);
        CHECK_THAT(text, Catch::Contains(field));
    }
}

TEST_CASE("whatever the algorithm, ranks that disagree all end, one of them with code 76") {
    const auto algorithm = GENERATE(Algorithm::halving_doubling, Algorithm::recursive_doubling,
                                    Algorithm::tree, Algorithm::pairwise, Algorithm::hierarchical);
    const std::size_t ranks = GENERATE(2, 3, 5, 8);
    CAPTURE(static_cast<int>(algorithm), ranks);
    Ranks ring(ranks, {.deadline = 10s, .grace = 50ms});
    std::vector<std::vector<float>> buffers(ranks, std::vector<float>(100'000));
    buffers.back().resize(99'999);
    for (std::size_t rank = 0; rank < ranks; ++rank) ring.start(rank, buffers[rank], {algorithm, 4096});
    ring.finish();
    std::size_t told = 0;
    for (auto& end : ring.ends) {
        const auto code = ending(end).code;
        CHECK((code == 76 || code == 74 || code == 75));
        told += code == 76 ? 1 : 0;
    }
    CHECK(told > 0);
}

TEST_CASE("a peer that closes in the middle is named on every rank") {
    const std::size_t ranks = GENERATE(2, 3, 5);
    CAPTURE(ranks);
    Ranks ring(ranks, {.deadline = 60s, .grace = 30s});
    std::vector<std::vector<float>> buffers(ranks, std::vector<float>(300'000));
    for (std::size_t rank = 0; rank + 1 < ranks; ++rank)
        ring.start(rank, buffers[rank], {.segment_bytes = 4096});
    for (int i = 0; i < 100; ++i) ring.io.poll_one();
    ring.fabrics[ranks - 1]->close();
    ring.finish();
    for (auto& end : ring.ends) {
        const auto [code, text] = ending(end);
        CHECK(code == 74);
        CHECK_THAT(text, Catch::StartsWith("node " + std::to_string(ranks - 1) + ": closed the connection"));
    }
}

TEST_CASE("a peer that says nothing passes the deadline, by name") {
    Ranks ring(3, {.deadline = 100ms, .grace = 50ms});
    std::vector<float> buffer(1000), other(1000);
    ring.start(0, buffer);
    ring.finish();
    const auto [code, text] = ending(ring.ends[0]);
    CHECK(code == 75);
    CHECK_THAT(text, Catch::StartsWith("node 2: nothing received for") && Catch::Contains("in all-reduce 0"));
}

TEST_CASE("auto goes by the bytes that travel and the number of ranks") {
    const auto chosen = [](std::int64_t bytes) {
        std::vector<Algorithm> choices;
        for (const std::int64_t ranks : {2, 3, 4, 8, 9, 16})
            choices.push_back(convoy::choose_algorithm(bytes, ranks));
        return choices;
    };
    const auto small = Algorithm::recursive_doubling, half = Algorithm::halving_doubling,
               pair = Algorithm::pairwise, ring = Algorithm::ring;
    CHECK(chosen(16 << 10) == std::vector{small, small, small, small, small, small});
    CHECK(chosen((16 << 10) + 1) == std::vector{ring, pair, half, half, ring, half});
    CHECK(chosen(512 << 10) == std::vector{ring, pair, half, half, ring, half});
    CHECK(chosen((512 << 10) + 1) == std::vector{ring, pair, pair, pair, ring, ring});
    CHECK(chosen((1 << 20) + 1) == std::vector{ring, ring, ring, ring, ring, ring});
}

TEST_CASE("after a failure the fabric stays closed, for the same reason") {
    Ranks ring(2, {.deadline = 10s, .grace = 50ms});
    std::vector<float> a(10), b(11), again(10);
    ring.start(0, a);
    ring.start(1, b);
    ring.finish();
    ring.start(0, again);
    ring.finish();
    CHECK(ending(ring.ends[2]).code == 76);
}
