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

}  // namespace

void run_node(const NodeAssignment& assignment, Network& network, NodeReporter& reporter) {
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
    if (const auto problem = does_not_fit(node_need(spec, shape, plan, node), assignment.rank, room_here()))
        throw DataError(*problem);
    tell(phase::connect);
    auto& communicator = network.connect(node.links);
    tell(phase::read);
    NodeRun(assignment, {std::move(shape), std::move(plan), std::move(node)}, communicator, reporter).run();
}

}  // namespace convoy
