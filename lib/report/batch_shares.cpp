#include "report/batch_shares.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "base/json_integer.hpp"
#include "report/figures.hpp"
#include "report/or_null.hpp"
#include "report/time_unit.hpp"

namespace convoy {

namespace {

/// More shares than these are told by the least and the most.
constexpr std::size_t most_listed_shares = 16;

/// Throws nlohmann::json::type_error if it is no list of integers.
std::vector<std::int64_t> read_integers(const nlohmann::json& list) {
    std::vector<std::int64_t> integers;
    for (const auto& value : list.get_ref<const nlohmann::json::array_t&>())
        integers.push_back(integer_of<std::int64_t>(value));
    return integers;
}

std::string listed(const std::vector<std::int64_t>& shares) {
    if (shares.empty()) return "none";
    if (shares.size() <= most_listed_shares) return fmt::format("{}", fmt::join(shares, ", "));
    const auto [least, most] = std::ranges::minmax(shares);
    return fmt::format("{} to {}", least, most);
}

/// The computations of each node with a share, in steps on whole batches behind the warm-up.
std::map<std::int64_t, std::vector<double>> computations(const RunResults& results) {
    std::set<std::int64_t> steps;
    for (const auto& step : results.steps) steps.insert(step.step);
    const auto first = steps.empty() ? 0 : *std::next(steps.begin(), left_out_of(std::ssize(steps)));
    std::map<std::int64_t, std::vector<double>> by_node;
    for (const auto& step : results.steps) {
        const auto node = static_cast<std::size_t>(step.node);
        const bool counts = node < results.balance->shares.size() && step.step >= first &&
                            step.examples == results.balance->shares[node] && step.examples > 0;
        if (counts) by_node[step.node].push_back(step.compute_us);
    }
    return by_node;
}

}  // namespace

std::optional<SharesGain> shares_gain(const RunResults& results) {
    if (!results.balance) return std::nullopt;
    const auto& shares = results.balance->shares;
    const auto figures = step_figures(results.steps, results.nodes);
    auto by_node = computations(results);
    if (!figures || by_node.size() != shares.size()) return std::nullopt;
    SharesGain gain{.step_us = figures->step_us.p50};
    for (auto& [node, times] : by_node) {
        std::ranges::sort(times);
        const auto median = quantile(std::span<const double>(times), 0.5);
        const auto place = static_cast<std::size_t>(node);
        const auto example_us = median / static_cast<double>(shares[place]);
        gain.compute_us = std::max(gain.compute_us, median);
        gain.equal_compute_us = std::max(
            gain.equal_compute_us, example_us * static_cast<double>(results.balance->equal_shares.at(place)));
    }
    return gain;
}

std::string shares_text(const BatchShares& shares) {
    return fmt::format("shares of a batch by {}: {} examples (equal shares: {})", shares.by,
                       listed(shares.shares), listed(shares.equal_shares));
}

std::string predicted_text(const BatchShares& shares) {
    if (!shares.predicted_us || !shares.predicted_equal_us) return "";
    return fmt::format(
        "predicted from the calibration: forward and backward take the slowest node {}, and {} with equal "
        "shares "
        "({:.2f} times as long)",
        time_text(*shares.predicted_us), time_text(*shares.predicted_equal_us),
        *shares.predicted_equal_us / *shares.predicted_us);
}

std::string shares_lines(const RunResults& results) {
    if (!results.balance) return "";
    auto lines = shares_text(*results.balance) + "\n";
    if (const auto gain = shares_gain(results)) {
        lines += fmt::format(
            "measured: a step takes {}, in which the slowest node computes {}; with equal shares about {} "
            "and {} "
            "({:.2f} times as long), if each node took as long for an example\n",
            time_text(gain->step_us), time_text(gain->compute_us), time_text(gain->equal_step_us()),
            time_text(gain->equal_compute_us), gain->equal_step_us() / gain->step_us);
    }
    const auto predicted = predicted_text(*results.balance);
    return predicted.empty() ? lines : lines + predicted + "\n";
}

nlohmann::json shares_json(const BatchShares& shares) {
    return {{"by", shares.by},
            {"shares", shares.shares},
            {"equal_shares", shares.equal_shares},
            {"predicted_compute_us", or_null(shares.predicted_us)},
            {"predicted_equal_compute_us", or_null(shares.predicted_equal_us)}};
}

nlohmann::json shares_json(const RunResults& results) {
    if (!results.balance) return nullptr;
    const auto& shares = *results.balance;
    const auto gain = shares_gain(results);
    const auto figure = [&](double value) { return gain ? nlohmann::json(value) : nlohmann::json(); };
    const auto found = gain.value_or(SharesGain{});
    auto content = shares_json(shares);
    content["compute_us"] = figure(found.compute_us);
    content["estimated_equal_compute_us"] = figure(found.equal_compute_us);
    content["estimated_equal_step_us"] = figure(found.equal_step_us());
    return content;
}

std::optional<BatchShares> read_shares(const nlohmann::json& summary, const std::string& source) {
    const auto found = summary.find("balance");
    if (found == summary.end() || found->is_null()) return std::nullopt;
    try {
        BatchShares shares{
            .by = found->at("by").get<std::string>(),
            .shares = read_integers(found->at("shares")),
            .equal_shares = read_integers(found->at("equal_shares")),
            .predicted_us = read_or_null<double>(found->at("predicted_compute_us")),
            .predicted_equal_us = read_or_null<double>(found->at("predicted_equal_compute_us"))};
        if (shares.shares.size() == shares.equal_shares.size()) return shares;
    } catch (const nlohmann::json::exception&) {
        // The error below tells it.
    }
    throw DataError(
        fmt::format("{}: balance: expected null, or shares, equal shares and predictions", source));
}

}  // namespace convoy
