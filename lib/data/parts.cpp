#include "data/parts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "base/random.hpp"
#include "data/sharding.hpp"

namespace convoy {
namespace {

using Examples = std::vector<std::uint32_t>;
using Counts = std::vector<std::int64_t>;

std::int64_t examples_of(const PartsRequest& request) {
    return std::accumulate(request.sizes.begin(), request.sizes.end(), std::int64_t{0});
}

Examples ascending(std::int64_t count) {
    Examples all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0U);
    return all;
}

Examples shuffled_examples(const PartsRequest& request) {
    auto all = ascending(examples_of(request));
    shuffle(all, RandomStream(request.seed, RandomPurpose::parts));
    return all;
}

/// Where each part begins.
Counts begins_of(std::span<const std::int64_t> sizes) {
    Counts begins(sizes.size());
    std::exclusive_scan(sizes.begin(), sizes.end(), begins.begin(), std::int64_t{0});
    return begins;
}

/// Fills the parts in turn, one example at a time. next: gives the next example of a replica.
Examples dealt(const PartsRequest& request, const std::function<std::uint32_t(std::size_t replica)>& next) {
    const auto begins = begins_of(request.sizes);
    Examples parts(static_cast<std::size_t>(examples_of(request)));
    std::vector<std::size_t> with_room(request.sizes.size());
    std::iota(with_room.begin(), with_room.end(), std::size_t{0});
    for (std::int64_t turn = 0; !with_room.empty(); ++turn) {
        std::erase_if(with_room, [&](std::size_t replica) { return request.sizes[replica] <= turn; });
        for (const auto replica : with_room)
            parts.at(static_cast<std::size_t>(begins[replica] + turn)) = next(replica);
    }
    return parts;
}

Examples strided(const PartsRequest& request) {
    return dealt(request, [example = 0U](std::size_t) mutable { return example++; });
}

Examples by_label(const PartsRequest& request) {
    auto sorted = ascending(examples_of(request));
    std::ranges::stable_sort(sorted, {}, [&](std::uint32_t example) { return request.labels[example]; });
    const auto shards = request.sharding.shards_per_node;
    auto order = ascending(std::ssize(request.sizes) * shards);
    shuffle(order, RandomStream(request.seed, RandomPurpose::parts));
    auto ends = begins_of(request.sizes);
    Examples parts(sorted.size());
    auto taken = sorted.begin();
    for (const auto shard : order) {
        const auto replica = static_cast<std::size_t>(shard / shards);
        const auto piece = shard % shards;
        const auto size = request.sizes[replica];
        const auto count = size * (piece + 1) / shards - size * piece / shards;
        std::copy(taken, taken + count, parts.begin() + ends[replica]);
        taken += count;
        ends[replica] += count;
    }
    return parts;
}

/// Draws of one replica. Each has the number of a class and a number among its draws.
class Draws {
  public:
    Draws(const RandomStream& random, std::uint32_t of) : random_(random), of_(of) {}
    /// In (0, 1].
    double uniform() { return 1.0 - random_.uniform(of_, next_++); }
    double normal() {
        const auto radius = std::sqrt(-2.0 * std::log(uniform()));
        return radius * std::cos(2.0 * std::numbers::pi * uniform());
    }

  private:
    RandomStream random_;
    std::uint32_t of_;
    std::uint32_t next_ = 0;
};

/// The logarithm of a number drawn from the gamma distribution of this shape and scale 1 (Marsaglia, Tsang:
/// "A simple method for generating gamma variables", ACM TOMS 2000). Of a small shape the number itself may
/// be too small for a double.
double log_gamma_draw(double shape, Draws draws) {
    const auto raised = shape < 1.0 ? std::log(draws.uniform()) / shape : 0.0;
    const auto d = (shape < 1.0 ? shape + 1.0 : shape) - 1.0 / 3.0;
    const auto c = 1.0 / std::sqrt(9.0 * d);
    while (true) {
        const auto x = draws.normal();
        const auto root = 1.0 + c * x;
        const auto u = draws.uniform();
        if (root <= 0.0) continue;
        const auto v = root * root * root;
        if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return std::log(d * v) + raised;
    }
}

/// The proportions of the classes of one replica, as whole numbers. So the last digits of logarithms, in
/// which processors may differ, hardly ever matter.
std::vector<std::uint32_t> drawn_proportions(const PartsRequest& request, const Counts& class_sizes,
                                             std::size_t replica) {
    constexpr double whole = 0x1p30;
    const RandomStream random(request.seed, RandomPurpose::parts, static_cast<std::uint32_t>(replica) + 1);
    const auto examples = static_cast<double>(request.labels.size());
    std::vector<double> logs(class_sizes.size(), -INFINITY);
    for (std::size_t i = 0; i < logs.size(); ++i) {
        if (class_sizes[i] == 0) continue;
        const auto share = static_cast<double>(class_sizes[i]) / examples;
        logs[i] =
            log_gamma_draw(request.sharding.alpha * share, Draws(random, static_cast<std::uint32_t>(i)));
    }
    const auto greatest = std::ranges::max(logs);
    double sum = 0.0;
    for (auto& value : logs) sum += value = std::exp(value - greatest);
    std::vector<std::uint32_t> proportions;
    for (const auto value : logs) proportions.push_back(static_cast<std::uint32_t>(value / sum * whole));
    return proportions;
}

/// The examples of each class that are left, in drawn order.
struct ClassesLeft {
    std::vector<Examples> examples;
    Counts left;
};

ClassesLeft all_classes(const PartsRequest& request) {
    ClassesLeft classes;
    const auto count = request.labels.empty() ? 0 : std::ranges::max(request.labels) + 1;
    classes.examples.resize(static_cast<std::size_t>(count));
    for (const auto example : shuffled_examples(request))
        classes.examples[static_cast<std::size_t>(request.labels[example])].push_back(example);
    for (const auto& each : classes.examples) classes.left.push_back(std::ssize(each));
    return classes;
}

/// Draws a class that has examples left. point: in [0, 2^32), uniform.
std::size_t drawn_class(const Counts& left, const std::vector<std::uint32_t>& proportions,
                        std::uint32_t point) {
    const auto draw = [&](const auto& weight) -> std::optional<std::size_t> {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < left.size(); ++i) sum += weight(i);
        auto until = sum * point >> 32U;
        for (std::size_t i = 0; i < left.size(); ++i) {
            if (until < weight(i)) return i;
            until -= weight(i);
        }
        return std::nullopt;
    };
    const auto own = [&](std::size_t i) { return left[i] > 0 ? std::uint64_t{proportions[i]} : 0; };
    if (const auto found = draw(own)) return *found;
    return draw([&](std::size_t i) { return static_cast<std::uint64_t>(left[i]); }).value();
}

Examples dirichlet(const PartsRequest& request) {
    auto classes = all_classes(request);
    std::vector<std::vector<std::uint32_t>> proportions;
    for (std::size_t replica = 0; replica < request.sizes.size(); ++replica)
        proportions.push_back(drawn_proportions(request, classes.left, replica));
    const RandomStream random(request.seed, RandomPurpose::parts, 0, 1);
    std::uint32_t drawn = 0;
    return dealt(request, [&](std::size_t replica) {
        const auto which = drawn_class(classes.left, proportions[replica], random.bits(drawn++, 0));
        return classes.examples[which].at(static_cast<std::size_t>(--classes.left[which]));
    });
}

Examples parts_by_scheme(const PartsRequest& request) {
    switch (request.sharding.scheme) {
        case ShardingScheme::strided: return strided(request);
        case ShardingScheme::shuffled: return shuffled_examples(request);
        case ShardingScheme::by_label: return by_label(request);
        case ShardingScheme::dirichlet: return dirichlet(request);
        default: throw InternalError("a scheme without parts");
    }
}

}  // namespace

std::vector<std::uint32_t> parts_of_replicas(const PartsRequest& request) {
    const auto scheme = request.sharding.scheme;
    const bool by_labels = scheme == ShardingScheme::by_label || scheme == ShardingScheme::dirichlet;
    if (by_labels && std::ssize(request.labels) != examples_of(request))
        throw InternalError("parts by label need the label of each example");
    auto parts = parts_by_scheme(request);
    auto begin = parts.begin();
    for (const auto size : request.sizes) {
        std::sort(begin, begin + size);
        begin += size;
    }
    return parts;
}

}  // namespace convoy
