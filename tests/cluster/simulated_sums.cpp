#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/clock.hpp"
#include "cluster/simulated_run.hpp"

using namespace convoy;

namespace {

/// A node tells its peers the cause of a failure for so long.
constexpr double telling_s = Seconds(usual_grace).count();

/// A rank's part of the sum of a step. Each rank has a digit of the sum for itself, so a sum shows whether it
/// has each part of this step, once. Floats hold thirteen times the sum of five ranks.
float part_of_sum(std::int64_t rank, std::int64_t step) {
    return static_cast<float>((1 + step % 15) << (4 * rank));
}

/// The links that belong to a seed.
SimulatedLinks::Options links_of_seed(std::uint64_t seed, std::int64_t ranks) {
    constexpr std::array algorithms{AllReduceAlgorithm::ring,     AllReduceAlgorithm::halving_doubling,
                                    AllReduceAlgorithm::tree,     AllReduceAlgorithm::recursive_doubling,
                                    AllReduceAlgorithm::pairwise, AllReduceAlgorithm::hierarchical};
    // Parts of ranks begin at multiples of 16 elements: of the first tensor one rank has a part, of the
    // second three ranks, of the third all.
    constexpr std::array<std::size_t, 3> elements{7, 40, 200};
    // On the first, sending waits for the other side; on the second it never does.
    constexpr std::array<std::size_t, 2> link_bytes{100, 4000};
    // The part of a rank is cut into blocks of so many bytes: into several, two, or one.
    constexpr std::array<std::int64_t, 3> segment_bytes{64, 128, 262144};
    const auto next = [&seed](const auto& values) {
        const auto chosen = values.at(seed % values.size());
        seed /= values.size();
        return chosen;
    };
    SimulatedLinks::Options options{.ranks = ranks};
    options.algorithm = next(algorithms);
    options.elements = next(elements);
    options.link_bytes = next(link_bytes);
    options.segment_bytes = next(segment_bytes);
    return options;
}

}  // namespace

double SimulatedRun::slowest_turn_s() const {
    return std::min(plan_.slowest_message_s, 0.03);
}

std::unique_ptr<SimulatedLinks> SimulatedRun::new_links() {
    links_closed_ = false;
    // Does something with a member, later; the links of an older membership do nothing more.
    const auto act_later = [this, generation = members_.generation()](std::int64_t rank, double delay_s,
                                                                      std::function<void(Worker&)> act) {
        time_.later(delay_s, [this, generation, rank, act = std::move(act)] {
            if (generation == members_.generation()) act(worker_at(rank));
        });
    };
    return std::make_unique<SimulatedLinks>(
        links_of_seed(plan_.seed, members_.count()),
        SimulatedLinks::Events{
            .wants_turn =
                [this, act_later](std::int64_t rank, std::int64_t peer, std::function<void()> go_on) {
                    act_later(rank, delay(slowest_turn_s()),
                              [this, peer, go_on = std::move(go_on)](const Worker& worker) {
                                  // What is sent to or from a worker that is cut off does not arrive.
                                  if (!worker.hung && !worker.cut && !worker_at(peer).cut) go_on();
                              });
                },
            .moved =
                [this, generation = members_.generation()](std::int64_t rank) {
                    if (generation == members_.generation()) worker_at(rank).moved_s = time_.now_s();
                },
            .failed =
                [this, act_later](std::int64_t rank) {
                    act_later(rank, telling_s, [this](const Worker& worker) { close_links(worker); });
                },
            .ended =
                [this, act_later](std::int64_t rank, float sum, ExitCode code) {
                    act_later(rank, 0.0, [this, sum, code](Worker& worker) { end_sum(worker, sum, code); });
                }});
}

/// The worker's part of the step is computed, and its sum with the others begins.
void SimulatedRun::arrive(Worker& worker) {
    worker.at_barrier = true;
    if (worker.lost_a_peer) return report_lost_peer(worker, ExitCode::node_lost);
    note(fmt::format("  worker {} begins the sum of step {}", worker.index, worker.begun));
    worker.moved_s = time_.now_s();
    watch_sum(worker);
    const auto rank = current_rank(worker).value();
    const bool is_old = plan_.bug == Bug::sums_old_part && rank == 0 && members_.generation() > 0 &&
                        worker.begun == members_.from_step() + 1;
    links_of_members_->sum(rank, part_of_sum(rank, worker.begun - (is_old ? 1 : 0)));
}

void SimulatedRun::watch_sum(Worker& worker) {
    time_.later(worker.moved_s + simulated_deadline_s - time_.now_s(),
                [this, &worker, step = worker.begun, generation = members_.generation()] {
                    if (!worker.alive || worker.failed || !worker.at_barrier) return;
                    if (worker.begun != step || generation != members_.generation()) return;
                    if (time_.now_s() < worker.moved_s + simulated_deadline_s) return watch_sum(worker);
                    if (!may_stand_still(worker))
                        violate(fmt::format("the sum of worker {} stands still for no cause", worker.index));
                    report_lost_peer(worker, ExitCode::deadline);
                });
}

/// A sum stands still where a member hangs or is cut off, or lives and still computes its part. The end of a
/// process, and a member that stands still, are seen by their links, sooner.
bool SimulatedRun::may_stand_still(const Worker& waiting) const {
    return std::ranges::any_of(members_.workers(), [&](std::size_t index) {
        const auto& worker = workers_[index];
        const bool computes = worker.alive && !worker.suspended && !worker.failed && !worker.at_barrier &&
                              worker.committed < waiting.begun;
        return worker.hung || worker.cut || worker.stalled || computes;
    });
}

void SimulatedRun::end_sum(Worker& worker, float sum, ExitCode code) {
    if (!worker.alive || worker.hung || worker.failed || !worker.at_barrier) return;
    note(fmt::format("  the sum of worker {} in step {} ends with code {}", worker.index, worker.begun,
                     static_cast<int>(code)));
    if (code != ExitCode::done) {
        if (code != ExitCode::node_lost)
            violate(
                fmt::format("the sum of worker {} ends with code {}", worker.index, static_cast<int>(code)));
        if (!links_closed_)
            violate(fmt::format("the sum of worker {} fails, and no link closed", worker.index));
        return report_lost_peer(worker, code);
    }
    float whole = 0.0F;
    for (std::int64_t rank = 0; rank < members_.count(); ++rank) whole += part_of_sum(rank, worker.begun);
    if (sum != whole)
        violate(fmt::format("worker {} has the sum {} in step {}, and the parts of all members add up to {}",
                            worker.index, sum, worker.begun, whole));
    leave_barrier(worker);
}

/// The worker has the sum of the step.
void SimulatedRun::leave_barrier(Worker& worker) {
    const auto step = worker.begun;
    if (plan_.suspended_after_step == step) {
        plan_.suspended_after_step = 0;
        time_.suspend(60);
    }
    worker.at_barrier = false;
    if (worker.committed + 1 != step)
        violate(fmt::format("worker {} leaves out a step, or takes it twice", worker.index));
    worker.committed = step;
    worker.between_steps = true;
    worker.wants_checkpoint = plan_.checkpoint_every > 0 && step % plan_.checkpoint_every == 0;
    go_on(worker);
}

/// The links of a worker to its peers close, as those of a process that ends. Of a worker that is cut off
/// nobody sees it.
void SimulatedRun::close_links(const Worker& worker) {
    if (worker.cut) return;
    const auto rank = current_rank(worker);
    if (!rank) return;
    note(fmt::format("  the links of worker {} close", worker.index));
    links_closed_ = true;
    links_of_members_->close(*rank);
}

void SimulatedRun::close_all_links() {
    if (links_of_members_->close_all() > 0) violate("a sum outlives its links");
}
