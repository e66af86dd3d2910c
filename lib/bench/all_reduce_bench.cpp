#include "bench/all_reduce_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>

#include "base/sha256.hpp"
#include "base/version.hpp"

namespace convoy {
namespace {

/// What each rank puts into the sum: small whole numbers, so that sums of up to 256 ranks are exact in every
/// type that may travel, and in any order. They differ from rank to rank, element to element and iteration to
/// iteration.
class Pattern {
  public:
    Pattern(std::int64_t world_size, std::int64_t iteration)
        : mask_(std::bit_floor(static_cast<std::uint32_t>(std::max<std::int64_t>(2, 256 / world_size))) - 1),
          iteration_(static_cast<std::uint32_t>(iteration)) {}

    void fill(std::span<float> buffer, std::int64_t rank) const {
        for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = static_cast<float>(value(i, rank));
    }
    [[nodiscard]] std::int64_t count_right(std::span<const float> sums, std::int64_t world_size) const {
        std::int64_t right = 0;
        for (std::size_t i = 0; i < sums.size(); ++i) {
            std::uint32_t sum = 0;
            for (std::int64_t rank = 0; rank < world_size; ++rank) sum += value(i, rank);
            right += sums[i] == static_cast<float>(sum) ? 1 : 0;
        }
        return right;
    }

  private:
    [[nodiscard]] std::uint32_t value(std::size_t i, std::int64_t rank) const {
        const auto mixed = (static_cast<std::uint32_t>(i) + iteration_) * 2'654'435'761U +
                           static_cast<std::uint32_t>(rank) * 40'503'001U;
        return (mixed >> 20U) & mask_;
    }

    std::uint32_t mask_, iteration_;
};

/// The buffer in equal pieces, one on each connection at the same time.
void all_reduce_pieces(const AllReduceBench& bench, std::span<float> buffer, Communicator& communicator) {
    if (bench.connections == 1) {
        communicator.run(buffer, {.options = bench.options});
        return;
    }
    const auto pieces = static_cast<std::size_t>(bench.connections);
    std::vector<Ticket> tickets;
    try {
        for (std::size_t i = 0; i < pieces; ++i) {
            const auto first = buffer.size() * i / pieces;
            auto options = bench.options;
            options.connection = static_cast<std::int64_t>(i);
            tickets.push_back(communicator.start(
                buffer.subspan(first, buffer.size() * (i + 1) / pieces - first), {.options = options}));
        }
        for (const auto ticket : tickets) communicator.wait(ticket);
    } catch (...) {
        communicator.drain();  // the other pieces may still be coming into the buffer
        throw;
    }
}

void wait_for_all(Communicator& communicator) {
    float one = 1.0F;
    communicator.run(std::span(&one, 1), {});
}

/// The sums of one buffer.
class BufferSums {
  public:
    BufferSums(const AllReduceBench& bench, const NodeAssignment& node, Communicator& communicator,
               std::span<float> buffer)
        : bench_(bench), node_(node), communicator_(communicator), buffer_(buffer) {}

    /// Sums the pattern of an iteration, and returns the number of wrong elements.
    std::int64_t check(std::int64_t iteration) {
        const Pattern pattern(node_.world_size, iteration);
        pattern.fill(buffer_, node_.rank);
        time();
        return std::ssize(buffer_) - pattern.count_right(buffer_, node_.world_size);
    }
    /// The time of one sum, which begins when all nodes are ready.
    Microseconds time() {
        wait_for_all(communicator_);
        const auto began = Clock::now();
        all_reduce_pieces(bench_, buffer_, communicator_);
        return since(began);
    }
    /// The times of `count` sums, one directly behind the other. Work between them would make nodes on one
    /// core late for the next sum.
    std::vector<Microseconds> time(std::int64_t count) {
        std::ranges::fill(buffer_, 0.0F);  // values that no number of sums makes too large
        std::vector<Microseconds> times(static_cast<std::size_t>(count));
        for (auto& each : times) each = time();
        return times;
    }

  private:
    const AllReduceBench& bench_;
    const NodeAssignment& node_;
    Communicator& communicator_;
    std::span<float> buffer_;
};

/// Checks and times the sums of one size.
std::vector<StepRecord> records_of_size(const AllReduceBench& bench, const NodeAssignment& node,
                                        Communicator& communicator, std::span<float> buffer,
                                        std::size_t index) {
    BufferSums sums(bench, node, communicator, buffer);
    const auto checks = std::max<std::int64_t>(bench.warmup, 1);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < checks; ++i) wrong += sums.check(i);
    std::vector<StepRecord> records;
    for (const auto& time : sums.time(iterations_of(bench, bench.sizes[index]))) {
        StepRecord record;
        record.node = node.rank;
        record.epoch = static_cast<std::int64_t>(index) + 1;
        record.step = std::ssize(records) + 1;
        record.step_us = time.count();
        records.push_back(record);
    }
    wrong += sums.check(checks);
    records.back().examples = (checks + 1) * std::ssize(buffer);
    records.back().correct = records.back().examples - wrong;
    return records;
}

/// Small sums for a tenth of a second by rank 0's clock, before anything is timed: at first the nodes of one
/// machine may share a core, until the kernel finds each its own.
void settle(std::int64_t rank, Communicator& communicator) {
    constexpr Seconds long_enough{0.1};
    constexpr int most_sums = 20'000;
    const auto began = Clock::now();
    float more = 1.0F;
    for (int sums = 0; more > 0.0F && sums < most_sums; ++sums) {
        more = rank == 0 && Clock::now() - began < long_enough ? 1.0F : 0.0F;
        communicator.run(std::span(&more, 1), {});
    }
}

}  // namespace

std::int64_t iterations_of(const AllReduceBench& bench, std::int64_t size) {
    constexpr std::int64_t bytes_in_all = std::int64_t{256} << 20, fewest = 20, most = 500;
    if (bench.iterations > 0) return bench.iterations;
    return std::clamp(bytes_in_all / size, fewest, most);
}

void run_all_reduce_bench(const AllReduceBench& bench, const NodeAssignment& assignment, Network& network,
                          NodeReporter& reporter) {
    auto& communicator = network.connect(all_reduce_links(
        assignment.rank, network.hosts(), std::span(&bench.options.algorithm, 1), bench.connections));
    std::string text =
        fmt::format("allreduce {} {} {} {}\n", bench.warmup, static_cast<int>(bench.options.algorithm),
                    bench.options.segment_bytes, static_cast<int>(bench.options.wire_type));
    for (const auto size : bench.sizes) text += fmt::format("{} {}\n", size, iterations_of(bench, size));
    reporter.agree({{topic::convoy, build_text()}, {topic::benchmark, sha256(text)}});
    const auto largest = std::ranges::max(bench.sizes);
    std::vector<float> memory(static_cast<std::size_t>(largest) / sizeof(float));
    settle(assignment.rank, communicator);
    for (std::size_t index = 0; index < bench.sizes.size(); ++index) {
        const auto buffer =
            std::span(memory).first(static_cast<std::size_t>(bench.sizes[index]) / sizeof(float));
        NodeRecords records;
        records.steps = records_of_size(bench, assignment, communicator, buffer, index);
        reporter.records(std::move(records));
    }
}

}  // namespace convoy
