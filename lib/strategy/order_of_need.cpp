#include "strategy/order_of_need.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "plan/step_cost.hpp"
#include "strategy/balance.hpp"
#include "strategy/buckets.hpp"
#include "strategy/step_parts.hpp"

namespace convoy {
namespace {

/// Bytes a second from one worker to the servers, while all workers send. Absent if no link has a limit.
std::optional<double> push_rate(const ExperimentSpec& spec, const ClusterModel& cluster) {
    constexpr double bits_per_byte = 8.0;
    std::map<std::int64_t, double> workers_on;
    for (const auto& node : cluster.nodes) ++workers_on[node.host];
    auto least = std::numeric_limits<double>::infinity();
    for (const auto& [host, workers] : workers_on)
        if (const auto link = link_bits_per_s(cluster, host)) least = std::min(least, *link / workers);
    double servers = 0.0;  // what all of them take in
    for (std::int64_t server = 0; server < spec.strategy.servers; ++server)
        servers += link_bits_per_s(cluster, spec.host_of(spec.world_size() + server))
                       .value_or(std::numeric_limits<double>::infinity());
    least = std::min(least, servers / static_cast<double>(spec.world_size()));
    if (least == std::numeric_limits<double>::infinity()) return std::nullopt;
    return least / bits_per_byte;
}

std::int64_t nanoseconds(double seconds) {
    constexpr double in_a_second = 1e9;
    return std::llround(seconds * in_a_second);
}

/// The link from a worker to the servers, and the slices that wait for it.
class PredictedLink {
  public:
    /// bytes_per_s: absent if it has no limit.
    explicit PredictedLink(std::optional<double> bytes_per_s) : bytes_per_s_(bytes_per_s) {}

    /// A slice that is there from now on. need: the operator that reads its parameters first.
    void add(std::size_t need, PlaceOfSlice place, double bytes, std::int64_t now) {
        if (waiting_.empty()) free_at_ = std::max(free_at_, now);
        waiting_.emplace(need, place.bucket, place.slice, bytes);
    }
    /// Sends what the link can begin to send until then.
    void run_until(std::int64_t now) {
        while (!waiting_.empty() && free_at_ <= now) {
            const auto [need, bucket, slice, bytes] = *waiting_.begin();
            waiting_.erase(waiting_.begin());
            sent_.push_back({bucket, slice});
            if (bytes_per_s_) free_at_ += nanoseconds(bytes / *bytes_per_s_);
        }
    }
    [[nodiscard]] std::vector<PlaceOfSlice> all_sent() && {
        run_until(std::numeric_limits<std::int64_t>::max());
        return std::move(sent_);
    }

  private:
    std::optional<double> bytes_per_s_;
    std::int64_t free_at_ = 0;  // nanoseconds: all ranks round alike
    std::set<std::tuple<std::size_t, std::size_t, std::size_t, double>> waiting_;
    std::vector<PlaceOfSlice> sent_;
};

/// For each bucket of gradients the position of the first operator that reads one of its parameters.
std::vector<std::size_t> needs_of(const Program& program, const std::vector<Operator>& operators) {
    std::map<TensorId, std::size_t> first_reader;
    for (std::size_t i = 0; i < operators.size(); ++i)
        for (const auto id : operators[i].inputs) first_reader.emplace(id, i);
    const BucketParameters parameters(program);
    std::vector<std::size_t> needs;
    for (const auto& bucket : program.buckets) {
        auto need = operators.size();
        for (const auto* parameter : parameters.of(bucket))
            if (const auto found = first_reader.find(parameter->value); found != first_reader.end())
                need = std::min(need, found->second);
        needs.push_back(need);
    }
    return needs;
}

}  // namespace

std::vector<PlaceOfSlice> order_of_need(const NodePlanBuilder& plan) {
    const auto& input = plan.input();
    auto program = instantiate(input.training, ProgramKind::train, plan.placement(plan.largest_share()));
    plan_buckets(program, plan.strategy());
    const ServerExchanges exchanges(program, input);
    const auto compute = split_step(program).compute;
    const auto needs = needs_of(program, compute);
    std::map<TensorId, std::size_t> completes;
    for (std::size_t i = 0; i < program.buckets.size(); ++i)
        if (holds_gradients(program.buckets[i])) completes[program.buckets[i].tensors.back()] = i;

    const auto speeds = speeds_or_defaults(input.cluster, 0);
    const auto element_bytes = plan.strategy().wire_type == WireType::float32 ? bucket_element_bytes : 2;
    PredictedLink link(push_rate(input.spec, input.cluster));
    std::int64_t now = 0;
    for (const auto& op : compute) {
        now +=
            nanoseconds(seconds_of(program, op, speeds, activation_bytes(input.spec.kernels)).value_or(0.0));
        link.run_until(now);
        for (const auto id : op.outputs) {
            const auto found = completes.find(id);
            if (found == completes.end()) continue;
            const auto slices = exchanges.slices(program.buckets[found->second]);
            for (std::size_t i = 0; i < slices.size(); ++i)
                link.add(needs[found->second], {found->second, i},
                         static_cast<double>(slices[i].range.count) * static_cast<double>(element_bytes),
                         now);
        }
    }
    return std::move(link).all_sent();
}

}  // namespace convoy
