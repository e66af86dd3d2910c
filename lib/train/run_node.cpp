#include "train/run_node.hpp"

#include <filesystem>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "data/fetched_data.hpp"
#include "strategy/compile.hpp"
#include "train/memory_check.hpp"
#include "train/node_run.hpp"

namespace convoy {
namespace {

/// The files of a dataset, or the folder that has them. Empty if the examples are drawn.
std::string place_of(const DatasetSpec& spec, const std::filesystem::path& data_folder) {
    const auto dataset = with_fetched_paths(spec, data_folder);
    if (dataset.npy) {
        const auto& first = dataset.npy->inputs.front().files.front();
        const auto place = array_place(first, dataset.npy->format).value_or(ArrayPlace{.file = first});
        return (data_folder / place.file).string();
    }
    if (dataset.spectra && dataset.spectra->template_dir)
        return (data_folder / *dataset.spectra->template_dir).string();
    return dataset_info(dataset.name).generated ? "" : folder_of_known(dataset, data_folder).string();
}

/// Gets the files of the dataset that the node's host does not have. Returns the time that it took, in
/// seconds.
double fetch_data(const NodeAssignment& assignment, NodeReporter& reporter) {
    const auto& dataset = assignment.spec.dataset;
    if (!dataset.has_addresses()) return 0.0;
    FetchOptions options;
    options.progress = [&](const FetchProgress& progress) {
        reporter.progress({.rank = assignment.rank,
                           .phase = phase::fetch,
                           .file = progress.file,
                           .epochs = assignment.spec.epochs});
    };
    options.progress({});
    return fetch_dataset(dataset, assignment.data_folder, options).seconds;
}

bool is_of_a_peer(ExitCode code) {
    return code == ExitCode::node_lost || code == ExitCode::deadline;
}

/// The state of a node that goes on as another rank. A node that is a step behind takes the tensors of one
/// that is not; the records of this step are lost with it.
NodeCheckpoint state_for(NodeAssignment& assignment, NodeCheckpoint own, std::int64_t steps_per_epoch,
                         NodeReporter& reporter) {
    if (assignment.resume) {
        own.step = assignment.resume->step;
        own.tensors = std::move(assignment.resume->tensors);
    }
    const auto epoch = own.step / steps_per_epoch + 1;
    if (epoch != own.epoch.epoch) {  // that step was the last of its epoch
        own.epoch.node = assignment.rank;
        NodeRecords last;
        last.epochs = {std::exchange(own.epoch, {})};
        reporter.records(std::move(last));
        own.epoch.epoch = epoch;
        own.operators.clear();
    }
    own.epoch.node = own.so_far.node = assignment.rank;
    return own;
}

/// The state of a node that joins: the tensors of another one, and nothing that this one has done.
NodeCheckpoint state_of_newcomer(NodeAssignment& assignment, std::int64_t steps_per_epoch) {
    if (!assignment.resume) throw InternalError("a node joins a run, and gets no state");
    NodeCheckpoint state;
    state.step = assignment.resume->step;
    state.tensors = std::move(assignment.resume->tensors);
    state.epoch.epoch = state.step / steps_per_epoch + 1;
    state.epoch.node = state.so_far.node = assignment.rank;
    return state;
}

/// Gives the assignment the node's own state, if the run goes on with other nodes.
void take_state(NodeAssignment& assignment, KeptNode& kept, const Plan& plan, NodeReporter& reporter) {
    if (assignment.generation == 0) return;
    const auto steps_per_epoch = plan.data().train.steps_per_epoch();
    assignment.resume = kept.state ? state_for(assignment, *std::exchange(kept.state, std::nullopt),
                                               steps_per_epoch, reporter)
                                   : state_of_newcomer(assignment, steps_per_epoch);
}

/// The shares of the workers that are left, if they keep those that they had.
std::optional<KeptShares> kept_shares(const NodeAssignment& assignment) {
    if (!assignment.apart) return std::nullopt;
    KeptShares kept{.shares = assignment.apart->shares, .of_rank = {}};
    for (const auto& rank : assignment.apart->ranks)
        kept.of_rank.push_back(std::ssize(kept.of_rank) < assignment.spec.world_size() ? rank.place : -1);
    return kept;
}

/// Takes out of a job that stands still what it needs to go on.
void keep(KeptNode& kept, NodeRun& run) {
    kept.state = run.leave();
    kept.messages = run.past_messages();
    kept.data = run.take_data();
    kept.slowness = run.slowness();
}

}  // namespace

void run_node(NodeAssignment assignment, Network& network, NodeReporter& reporter) {
    KeptNode nothing;
    run_node(std::move(assignment), network, reporter, nothing);
}

void run_node(NodeAssignment assignment, Network& network, NodeReporter& reporter, KeptNode& kept) {
    const auto tell = [&](const char* now) {
        reporter.progress({.rank = assignment.rank,
                           .phase = now,
                           .file = place_of(assignment.spec.dataset, assignment.data_folder),
                           .epochs = assignment.spec.epochs});
    };
    const double fetch_s = kept.data ? 0.0 : fetch_data(assignment, reporter);
    tell(phase::read);
    // The plan is made from headers, and the links are formed before the data is read, which may take one
    // node longer than another.
    auto shape = data_shape(assignment.spec, assignment.data_folder);
    auto plan = compile(assignment.spec, shape, network.hosts(), kept_shares(assignment));
    auto node = plan.of(assignment.rank);
    const bool had_state = kept.state.has_value();
    // A node that goes on has its data already, and the room for its last plan is free again.
    if (const auto problem =
            does_not_fit(node_need(assignment.spec, shape, plan, node), assignment.rank, room_here());
        problem && !had_state)
        throw DataError(*problem);
    take_state(assignment, kept, plan, reporter);
    std::optional<NodeRun> run;
    try {
        tell(phase::connect);
        auto& communicator = network.connect(node.links);
        tell(phase::read);
        run.emplace(assignment, RunPlan{std::move(shape), std::move(plan), std::move(node)}, communicator,
                    reporter, std::exchange(kept.data, std::nullopt));
        run->add_fetch(fetch_s);
        if (assignment.resume) assignment.resume->tensors = {};  // the run has them
        if (assignment.apart) run->go_on_behind(kept.messages);
        if (kept.slowness > 1.0) run->slow_down_by(kept.slowness);
        if (run->run()) return;
        keep(kept, *run);
        reporter.stand_still(*kept.state);
    } catch (const Error& lost) {
        const bool has_begun = run && run->has_begun();
        const bool shrinks = assignment.spec.failures.policy == FailurePolicy::shrink;
        if (!shrinks || !(has_begun || had_state) || !is_of_a_peer(lost.code())) throw;
        if (has_begun) {
            keep(kept, *run);
        } else {
            kept.state = std::move(assignment.resume);
            if (run) kept.state->tensors = run->tensors();
            if (run) kept.data = run->take_data();
        }
        reporter.suspend(lost, *kept.state);
    }
}

}  // namespace convoy
