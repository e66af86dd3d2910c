#include "train/node.hpp"

#include <algorithm>
#include <utility>

#include "measure/proc.hpp"
#include "train/backends.hpp"

namespace convoy {
namespace {

/// A sum of two counts, which is not known if one of them is not.
std::optional<std::uint64_t> sum_of(const std::optional<std::uint64_t>& one,
                                    const std::optional<std::uint64_t>& other) {
    return one && other ? std::optional(*one + *other) : std::nullopt;
}

}  // namespace

Node::Node(const NodeAssignment& assignment, const Communicator& communicator, const DataRole& role,
           const DataShape& planned, std::optional<NodeData> kept)
    : assignment_(assignment),
      communicator_(communicator),
      sampler_(assignment.rank, Seconds(assignment.spec.measure.sample_interval_s),
               [this, &communicator] {
                   contention_.look();
                   const auto traffic = communicator.traffic();
                   return TrafficTotals{traffic.sent_bytes, traffic.received_bytes};
               }),
      data_(kept ? *std::move(kept) : load_node_data(assignment, role, planned)),
      backend_(make_backend(assignment.spec.kernels_of(assignment.rank), assignment.threads,
                            assignment.layout_threads)),
      before_(assignment.resume ? assignment.resume->so_far : NodeSummary{}) {}

void Node::add_epoch(double train_s, double evaluate_s) {
    train_s_ += train_s;
    evaluate_s_ += evaluate_s;
}

NodeSummary Node::so_far(std::int64_t steps, const StageTimes& batches) {
    const auto totals = process_totals();
    const auto traffic = communicator_.traffic();
    const InputTimes input{.interleave_s = before_.input.interleave_s + data_.input.interleave_s,
                           .prepare_s = before_.input.prepare_s + data_.input.prepare_s,
                           .shuffle_s = before_.input.shuffle_s + batches.shuffle_s,
                           .batch_s = before_.input.batch_s + batches.batch_s,
                           .map_s = before_.input.map_s + batches.map_s,
                           .augment_s = before_.input.augment_s + batches.augment_s};
    return {.node = assignment_.rank,
            .threads = assignment_.threads,
            .read_s = before_.read_s + data_.read_s,
            .preprocess_s = input.total(),
            .train_s = before_.train_s + train_s_,
            .evaluate_s = before_.evaluate_s + evaluate_s_,
            .checkpoint_s = before_.checkpoint_s + checkpoint_s_,
            .total_s = before_.total_s + fetch_s_ + Seconds(Clock::now() - began_).count(),
            .peak_resident_bytes = std::max(before_.peak_resident_bytes, totals.peak_resident_bytes),
            .cpu_user_s = before_.cpu_user_s + totals.cpu_user_s,
            .cpu_system_s = before_.cpu_system_s + totals.cpu_system_s,
            .sent_bytes = sum_of(before_.sent_bytes, traffic.sent_bytes),
            .received_bytes = sum_of(before_.received_bytes, traffic.received_bytes),
            .steps = steps,
            .clock = {},
            .input = input,
            .contention = contention(),
            .fetch_s = before_.fetch_s + fetch_s_};
}

std::optional<Contention> Node::contention() {
    auto own = contention_.so_far();
    if (!own) return before_.contention;
    own->retransmits = static_cast<std::int64_t>(communicator_.traffic().retransmits);
    if (const auto& spec = assignment_.spec; spec.cluster) {
        own->host = spec.host_of(assignment_.rank);
        own->host_cpu = spec.cluster->host(*own->host).cpu;
    }
    return before_.contention ? together(*before_.contention, *own) : own;
}

NodeData Node::take_data() {
    return {.splits = std::move(data_.splits)};
}

std::vector<SystemSample> Node::take_samples() {
    auto samples = sampler_.take();
    for (auto& sample : samples) {
        sample.time_s += before_.total_s;
        sample.sent_bytes = sum_of(before_.sent_bytes, sample.sent_bytes);
        sample.received_bytes = sum_of(before_.received_bytes, sample.received_bytes);
    }
    return samples;
}

}  // namespace convoy
