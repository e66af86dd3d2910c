#include "checkpoint/example.hpp"

namespace convoy::test {
namespace {

NodeCheckpoint example_node(std::int64_t node, std::int64_t step) {
    NodeCheckpoint checkpoint;
    checkpoint.step = step;
    checkpoint.validation = {.best_loss = 0.5, .epochs_without_improvement = 2};
    checkpoint.epoch = {node, 2, {3.5, 4, 5}, {6.5, 7, 8}, {9.5, 10, 11}, 12.5, 13.5};
    checkpoint.steps = {{node, 2, step, 0.1, 4, 5, 6.5, 7.5, 8.5}};
    checkpoint.operators = {{RunPhase::train, "Conv2D", "conv1", 1.5, {0.25F, 1.25F}, {}}};
    checkpoint.system = {{node, 2.5, 3.5, 4.5, 5.5, 6, 7, 8}};
    checkpoint.so_far = {node, 2, 3.5, 4.5, 5.5, 6.5, 17.5, 7.5, 8, 9.5, 10.5, 11, 12, step, {-1, 2.5, 3.5}};
    return checkpoint;
}

}  // namespace

KeptCheckpoint example_checkpoint(std::int64_t step) {
    KeptCheckpoint kept{.identity = {.run_id = std::string(64, 'a'),
                                     .training_id = std::string(64, 't'),
                                     .distribution_id = std::string(64, 'd')},
                        .checkpoint = {}};
    kept.checkpoint.marks = {1000, 2000};
    kept.checkpoint.resumed_from_steps = {2, 4};
    kept.checkpoint.nodes = {example_node(0, step), example_node(1, step)};
    kept.checkpoint.nodes[0].tensors = {std::byte{1}, std::byte{2}, std::byte{250}};
    return kept;
}

}  // namespace convoy::test
