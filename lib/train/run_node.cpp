#include "train/run_node.hpp"

#include <filesystem>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "strategy/compile.hpp"
#include "train/memory_check.hpp"
#include "train/node_run.hpp"

namespace convoy {
namespace {

/// The files of a dataset, or the folder that has them. Empty if the examples are drawn.
std::string place_of(const DatasetSpec& dataset, const std::filesystem::path& data_folder) {
    if (dataset.npy) return (data_folder / dataset.npy->inputs.front().files.front()).string();
    if (dataset.spectra && dataset.spectra->template_dir)
        return (data_folder / *dataset.spectra->template_dir).string();
    return dataset_info(dataset.name).generated ? "" : (data_folder / dataset.name).string();
}

bool is_of_a_peer(ExitCode code) {
    return code == ExitCode::node_lost || code == ExitCode::deadline;
}

/// The state of a node that goes on as another rank. A node that is a step behind takes the tensors of one
/// that is not; the records of this step are lost with it.
NodeCheckpoint state_for(const NodeAssignment& assignment, NodeCheckpoint own, std::int64_t steps_per_epoch,
                         NodeReporter& reporter) {
    if (assignment.resume) {
        own.step = assignment.resume->step;
        own.tensors = assignment.resume->tensors;
        const auto epoch = own.step / steps_per_epoch + 1;
        if (epoch != own.epoch.epoch) {  // that step was the last of its epoch
            NodeRecords last;
            last.epochs = {std::exchange(own.epoch, {})};
            reporter.records(std::move(last));
            own.epoch.epoch = epoch;
            own.operators.clear();
        }
    }
    own.epoch.node = own.so_far.node = assignment.rank;
    return own;
}

/// The assignment with the node's own state, if the run goes on.
NodeAssignment with_state(NodeAssignment assignment, KeptNode& kept, const Plan& plan,
                          NodeReporter& reporter) {
    if (assignment.generation == 0) return assignment;
    if (!kept.state) throw InternalError("a run goes on with a node that kept no state");
    assignment.resume = state_for(assignment, *std::exchange(kept.state, std::nullopt),
                                  plan.data().train.steps_per_epoch(), reporter);
    return assignment;
}

}  // namespace

void run_node(const NodeAssignment& assignment, Network& network, NodeReporter& reporter) {
    KeptNode nothing;
    run_node(assignment, network, reporter, nothing);
}

void run_node(const NodeAssignment& assignment, Network& network, NodeReporter& reporter, KeptNode& kept) {
    const auto& spec = assignment.spec;
    const auto tell = [&](const char* now) {
        reporter.progress({.rank = assignment.rank,
                           .phase = now,
                           .file = place_of(spec.dataset, assignment.data_folder),
                           .epochs = spec.epochs});
    };
    tell(phase::read);
    // The plan is made from headers, and the links are formed before the data is read, which may take one
    // node longer than another.
    auto shape = data_shape(spec, assignment.data_folder);
    auto plan = compile(spec, shape, network.hosts());
    auto node = plan.of(assignment.rank);
    // A node that goes on has its data already, and the room for its last plan is free again.
    if (const auto problem = does_not_fit(node_need(spec, shape, plan, node), assignment.rank, room_here());
        problem && assignment.generation == 0)
        throw DataError(*problem);
    tell(phase::connect);
    auto& communicator = network.connect(node.links);
    tell(phase::read);
    const auto own = with_state(assignment, kept, plan, reporter);
    NodeRun run(own, {std::move(shape), std::move(plan), std::move(node)}, communicator, reporter,
                std::exchange(kept.data, std::nullopt));
    try {
        run.run();
    } catch (const Error& lost) {
        const bool goes_on = spec.failures.policy == FailurePolicy::shrink && run.has_begun();
        if (!goes_on || !is_of_a_peer(lost.code())) throw;
        kept.state = run.leave();
        kept.data = run.take_data();
        reporter.suspend(lost, *kept.state);
    }
}

}  // namespace convoy
