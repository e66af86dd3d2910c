#include "kernels/rank_executors.hpp"

#include <utility>

namespace convoy::test {
namespace {

/// The examples [first, first + count) of a batch.
OwnedBatch part_of(const OwnedBatch& batch, std::int64_t first, std::int64_t count) {
    const auto cut = [&](const auto& values) {
        const auto each = std::ssize(values) / std::ssize(batch.labels);
        return std::decay_t<decltype(values)>(values.begin() + first * each,
                                              values.begin() + (first + count) * each);
    };
    return {.values = cut(batch.values),
            .labels = cut(batch.labels),
            .examples = cut(batch.examples),
            .global_examples = batch.global_examples};
}

/// Gives the same batch whenever it is asked.
class OneBatch final : public BatchSource {
  public:
    explicit OneBatch(const OwnedBatch& batch) : batch_(batch) {}
    Batch next() override { return batch_.view(); }

  private:
    const OwnedBatch& batch_;
};

}  // namespace

RankExecutors::RankExecutors(std::vector<std::vector<Program>> programs,
                             const std::function<std::unique_ptr<Backend>()>& make)
    : network_(std::make_unique<MemoryNetwork>(std::ssize(programs))) {
    for (auto& of_rank : programs) {
        const auto rank = std::ssize(ranks_);
        auto& added = *ranks_.emplace_back(std::make_unique<Rank>(
            Rank{std::move(of_rank), make(), {}, OperatorTimer(rank, RunPhase::train, {}), {}, nullptr}));
        added.bound = added.backend->bind(added.programs);
        added.executor = std::make_unique<Executor>(*added.bound.back(), network_->of_rank(rank), added.timer,
                                                    added.state);
        added.timer.begin_epoch(1, 0);
    }
}

double RankExecutors::step(const OwnedBatch& batch, std::int64_t step) {
    std::vector<OwnedBatch> parts;
    std::int64_t first = 0;
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
        parts.push_back(part_of(batch, first, program(rank).batch));
        first += program(rank).batch;
    }
    std::vector<double> losses(ranks());
    const auto errors = on_all_ranks(*network_, [&](std::int64_t rank, Communicator&) {
        const auto index = static_cast<std::size_t>(rank);
        OneBatch source(parts[index]);
        ranks_[index]->timer.begin_step(step + 1);
        const auto result =
            ranks_[index]->executor->run(source, {.seed = 5, .epoch = 2, .step = step, .examples = {}});
        losses[index] = result.metrics.loss_sum;
    });
    if (!errors.empty()) std::rethrow_exception(errors.front().error);
    double loss = 0.0;
    for (const auto each : losses) loss += each;
    return loss / static_cast<double>(batch.global_examples);
}

}  // namespace convoy::test
