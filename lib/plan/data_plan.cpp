#include "plan/data_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace convoy {
namespace {

/// Examples that a node evaluates at a time: enough for full vector units, few enough to need no more memory
/// than a training step.
constexpr std::int64_t evaluation_share = 64;

/// The spec must not ask for more examples than there are.
void check(const ExperimentSpec& spec, const SplitSizes& sizes) {
    if (sizes.train < spec.world_size()) {
        throw DataError(fmt::format(
            "$.dataset.train_examples: {} to train on, expected at least one for each of {} nodes",
            sizes.train, spec.world_size()));
    }
    if (spec.batch_size > sizes.train) {
        throw DataError(fmt::format("$.batch_size: found {}, expected at most the {} examples to train on",
                                    spec.batch_size, sizes.train));
    }
    if (spec.early_stopping.patience && sizes.validation == 0) {
        throw DataError(
            "$.dataset.validation_fraction: found 0, expected more for early_stopping, which looks at the "
            "validation loss");
    }
    if (spec.target && spec.target->split == EvaluatedSplit::validation && sizes.validation == 0) {
        throw DataError(
            "$.dataset.validation_fraction: found 0, expected more for target, whose split is validation");
    }
    if (spec.target && spec.target->split == EvaluatedSplit::test && sizes.test == 0)
        throw DataError(
            "$.target.split: found \"test\", expected \"validation\": there are no test examples");
}

}  // namespace

EpochPlan evaluation_plan(const ExperimentSpec& spec, std::int64_t examples,
                          std::span<const std::int64_t> replica_of_rank) {
    return EpochPlan({.sharding = {},
                      .examples = examples,
                      .batch_size = evaluation_share * (std::ranges::max(replica_of_rank) + 1),
                      .replica_of_rank = {replica_of_rank.begin(), replica_of_rank.end()},
                      .shuffle = false,
                      .seed = spec.seed});
}

DataPlan data_plan(const ExperimentSpec& spec, const SplitSizes& sizes,
                   std::span<const std::int64_t> replica_of_rank, std::vector<double> weights,
                   const std::optional<KeptShares>& kept) {
    check(spec, sizes);
    const auto shares = kept ? std::span<const std::int64_t>(kept->of_rank) : replica_of_rank;
    DataPlan plan{.train = EpochPlan({.sharding = spec.sharding,
                                      .examples = sizes.train,
                                      .batch_size = spec.batch_size,
                                      .replica_of_rank = {shares.begin(), shares.end()},
                                      .shuffle = spec.input_pipeline.shuffle,
                                      .seed = spec.seed,
                                      .unit = spec.micro_batch_size.value_or(1),
                                      .weights = std::move(weights),
                                      .replicas = kept ? kept->shares : 0}),
                  .evaluations = {},
                  .steps = 0};
    for (const auto examples : {sizes.validation, sizes.test}) {
        if (examples > 0) plan.evaluations.push_back(evaluation_plan(spec, examples, replica_of_rank));
    }
    plan.steps = spec.epochs * plan.train.steps_per_epoch();
    if (spec.max_steps) plan.steps = std::min(plan.steps, *spec.max_steps);
    return plan;
}

}  // namespace convoy
