#include "kernels/lockstep.hpp"

#include <algorithm>

#include "base/error.hpp"

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

}  // namespace

Lockstep::Lockstep(std::vector<std::vector<Program>> programs,
                   const std::function<std::unique_ptr<Backend>()>& make)
    : programs_(std::move(programs)) {
    for (const auto& of_rank : programs_) {
        backends_.push_back(make());
        bound_.push_back(backends_.back()->bind(of_rank));
    }
}

double Lockstep::step(const OwnedBatch& batch, std::int64_t step) {
    std::vector<OwnedBatch> parts;
    std::vector<StepContext> contexts;
    std::int64_t first = 0;
    parts.reserve(ranks());
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
        const auto& part = parts.emplace_back(part_of(batch, first, program(rank).batch));
        first += program(rank).batch;
        bound_[rank].back()->feed(part.view());
        contexts.push_back({.seed = 5,
                            .epoch = 2,
                            .step = step,
                            .examples = part.examples,
                            .global_examples = batch.global_examples});
    }
    std::vector<std::size_t> at(ranks(), 0);
    const auto over = [&](std::size_t rank) { return at[rank] == program(rank).operators.size(); };
    while (true) {
        for (std::size_t rank = 0; rank < ranks(); ++rank) at[rank] = advance(rank, at[rank], contexts[rank]);
        if (over(0)) break;
        sum(at);
        for (auto& position : at) ++position;
    }
    double loss = 0.0;
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
        if (!over(rank)) throw InternalError("a rank that waits for a sum alone");
        if (program(rank).batch > 0) loss += bound_[rank].back()->metrics().loss_sum;
    }
    return loss / static_cast<double>(batch.global_examples);
}

std::size_t Lockstep::advance(std::size_t rank, std::size_t from, const StepContext& context) {
    const auto& operators = program(rank).operators;
    for (; from < operators.size(); ++from) {
        if (operators[from].kind == OperatorKind::all_reduce_wait) break;
        for (auto& bound : bound_[rank].back()->kernels(from)) bound.kernel->run(context);
    }
    return from;
}

void Lockstep::sum(const std::vector<std::size_t>& waiting) {
    std::vector<std::span<float>> buckets;
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
        const auto& own = program(rank);
        if (waiting[rank] == own.operators.size()) throw InternalError("a rank that does not wait for a sum");
        const auto storage = own.operators[waiting[rank]].inputs.at(0);
        const auto bucket = std::ranges::find(own.buckets, storage, &Bucket::storage);
        buckets.push_back(
            bound_[rank].back()->bucket(static_cast<std::size_t>(bucket - own.buckets.begin())));
        const auto& first = program(0).operators[waiting[0]].name;
        if (own.operators[waiting[rank]].name != first || buckets.back().size() != buckets[0].size())
            throw InternalError("ranks that wait for unlike sums");
    }
    for (std::size_t i = 0; i < buckets[0].size(); ++i) {
        float total = 0.0F;
        for (const auto bucket : buckets) total += bucket[i];
        for (const auto bucket : buckets) bucket[i] = total;
    }
}

}  // namespace convoy::test
