#include "train/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "data/dataset.hpp"
#include "data/input_pipeline.hpp"
#include "measure/operator_timer.hpp"
#include "program/executor.hpp"
#include "train/alone.hpp"
#include "train/backends.hpp"
#include "train/memory_check.hpp"
#include "train/node_data.hpp"
#include "train/weights.hpp"

namespace convoy {
namespace {

/// Keeps the last batch, whose labels and indices belong to the probabilities that a step leaves.
class KeepsBatch final : public BatchSource {
  public:
    explicit KeepsBatch(BatchSource& source) : source_(source) {}
    Batch next() override { return last_ = source_.next(); }
    [[nodiscard]] const Batch& last() const { return last_; }

  private:
    BatchSource& source_;
    Batch last_;
};

void add_predictions(Evaluation& evaluation, const Dataset& data, const Batch& batch,
                     const std::vector<float>& probabilities) {
    const auto classes = static_cast<std::size_t>(evaluation.classes);
    for (std::size_t i = 0; i < batch.labels.size(); ++i) {
        const auto row = std::span(probabilities).subspan(i * classes, classes);
        const auto best = std::ranges::max_element(row);
        evaluation.predictions.push_back(
            {.example = batch.examples[i],
             .label = batch.labels[i],
             .predicted = static_cast<std::int32_t>(best - row.begin()),
             .probability = *best,
             .quantity = evaluation.scale ? data.quantity(batch.examples[i]) : 0.0});
    }
}

}  // namespace

Evaluation evaluate_weights(const ExperimentSpec& spec, std::span<const std::byte> weights,
                            const std::string& source, const std::filesystem::path& data_folder,
                            int threads) {
    const auto data = load_dataset(spec.dataset, data_folder, spec.seed, spec.input_pipeline.cache);
    if (data.test.size() == 0) throw DataError("$.dataset.test_examples: there are none to evaluate");
    const auto plan = evaluation_plan(spec, data.test.size(), one_replica_each(1));
    const auto programs = evaluation_programs(spec, data_shape(data), plan);
    if (const auto problem = does_not_fit(evaluation_need(spec, programs), 0, room_here()))
        throw DataError(*problem);

    const auto backend = make_backend(spec.kernels, threads, threads);
    const auto bound = backend->bind(programs.programs);
    set_weights(*backend, programs.parameters, weights, source);
    if (const auto broken = find_not_finite(*backend, programs.parameters))
        throw DataError(fmt::format("{}: {} is not finite", source, *broken));
    NoCommunicator alone;
    OperatorTimer timer(0, RunPhase::evaluate, {});
    StepState state;
    std::vector<Executor> executors;
    for (const auto& program : bound) executors.emplace_back(*program, alone, timer, state);
    timer.begin_epoch(1, static_cast<std::size_t>(plan.steps_per_epoch()));

    InputPipeline pipeline(data.test, plan, {.rank = 0, .batches = plan.steps_per_epoch(), .prefetch = 1});
    KeepsBatch batches(pipeline);
    Evaluation evaluation{
        .classes = data.test.classes(), .loss = 0.0, .predictions = {}, .scale = data.test.label_scale()};
    for (std::int64_t step = 0; step < plan.steps_per_epoch(); ++step) {
        timer.begin_step(step + 1);
        const auto which = plan.split_of(step);
        const auto result = executors[which].run(batches, {.seed = spec.seed, .examples = {}});
        evaluation.loss += result.metrics.loss_sum / static_cast<double>(data.test.size());
        const auto& program = programs.programs[which];
        const auto probabilities = program.operators.back().outputs.back();
        add_predictions(evaluation, data.test, batches.last(), bound[which]->read(probabilities));
    }
    return evaluation;
}

}  // namespace convoy
