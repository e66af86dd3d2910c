#include "data/input_pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/error.hpp"

namespace convoy {

StageTimes& StageTimes::operator+=(const StageTimes& other) {
    shuffle_s += other.shuffle_s;
    batch_s += other.batch_s;
    map_s += other.map_s;
    augment_s += other.augment_s;
    return *this;
}

BatchMaker::BatchMaker(std::optional<Dataset> dataset, const EpochPlan& plan, std::int64_t rank,
                       Augmentation augmentation, std::int64_t first)
    : dataset_(std::move(dataset)),
      plan_(plan),
      rank_(rank),
      example_values_(has_values() ? static_cast<std::size_t>(dataset_->example_shape().elements()) : 0),
      augmentation_(std::move(augmentation)),
      epoch_(static_cast<std::uint32_t>(first / plan.steps_per_epoch())),
      step_(first % plan.steps_per_epoch()) {
    for (std::int64_t step = 0; step < step_; ++step)
        position_ += static_cast<std::size_t>(plan_.share_size(rank_, step));
}

BatchMaker::Buffer BatchMaker::buffer() const {
    const auto most = static_cast<std::size_t>(plan_.largest_share(rank_));
    Buffer buffer;
    buffer.values.reserve(most * example_values_);
    buffer.labels.reserve(has_labels() ? most : 0);
    buffer.examples.reserve(most);
    return buffer;
}

StageTimes BatchMaker::make(Buffer& into) {
    StageTimes times;
    const auto time = [](double& seconds, const auto& stage) {
        const auto began = Clock::now();
        stage();
        seconds = Seconds(Clock::now() - began).count();
    };
    if (step_ == 0) position_ = 0;
    if (order_epoch_ != epoch_) {
        time(times.shuffle_s, [this] { order_ = plan_.order_of(rank_, epoch_); });
        order_epoch_ = epoch_;
    }
    time(times.batch_s, [&] { choose(into); });
    time(times.map_s, [&] { map(into); });
    time(times.augment_s, [&] { augment(into); });

    position_ += into.examples.size();
    if (++step_ == plan_.steps_per_epoch()) {
        step_ = 0;
        ++epoch_;
    }
    return times;
}

void BatchMaker::choose(Buffer& into) {
    const auto size = static_cast<std::size_t>(plan_.share_size(rank_, step_));
    const auto chosen = std::span(order_).subspan(position_, size);
    into.examples.assign(chosen.begin(), chosen.end());
    into.global_examples = plan_.batch_examples(step_);
    if (!has_labels()) return;
    const auto labels = dataset_->labels();
    into.labels.resize(size);
    std::ranges::transform(chosen, into.labels.begin(),
                           [&](std::uint32_t example) { return labels[example]; });
}

std::span<float> BatchMaker::row(Buffer& into, std::size_t index) const {
    return std::span(into.values).subspan(index * example_values_, example_values_);
}

void BatchMaker::map(Buffer& into) const {
    if (!has_values()) return;
    into.values.resize(into.examples.size() * example_values_);
    for (std::size_t i = 0; i < into.examples.size(); ++i) dataset_->read(into.examples[i], row(into, i));
}

void BatchMaker::augment(Buffer& into) {
    if (!has_values()) return;
    for (std::size_t i = 0; i < into.examples.size(); ++i)
        augmentation_.apply(epoch_, into.examples[i], row(into, i));
}

InputPipeline::InputPipeline(const std::optional<Dataset>& dataset, const EpochPlan& plan,
                             const PipelineRequest& request)
    : maker_(dataset, plan, request.rank,
             Augmentation(request.augmentation, request.seed,
                          dataset ? dataset->example_shape() : ExampleShape()),
             request.first),
      batches_(request.batches) {
    // One buffer more than are prepared ahead: the one that the caller holds.
    for (int i = 0; i <= std::max(0, request.prefetch); ++i) ring_.push_back(maker_.buffer());
    if (request.prefetch > 0) thread_.emplace([this](const std::stop_token& stop) { prepare_all(stop); });
}

InputPipeline::~InputPipeline() = default;

StageTimes InputPipeline::make(BatchMaker::Buffer& into) {
    const auto times = maker_.make(into);
    const std::lock_guard lock(mutex_);
    times_ += times;
    return times;
}

void InputPipeline::prepare_all(const std::stop_token& stop) {
    const auto room = static_cast<std::int64_t>(ring_.size());
    try {
        for (std::int64_t batch = 0; batch < batches_; ++batch) {
            {
                std::unique_lock lock(mutex_);
                // The batch that was asked for last, taken_ - 1, is in use until the next is asked for.
                const auto free = [&] { return batch - std::max<std::int64_t>(0, taken_ - 1) < room; };
                if (!changed_.wait(lock, stop, free)) return;
            }
            if (stop.stop_requested()) return;
            make(ring_[static_cast<std::size_t>(batch % room)]);
            const std::lock_guard lock(mutex_);
            made_ = batch + 1;
            changed_.notify_all();
        }
    } catch (...) {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
        changed_.notify_all();
    }
}

Batch InputPipeline::next() {
    if (taken_ == batches_)
        throw InternalError(fmt::format("the input pipeline has no more than {} batches", batches_));
    auto& buffer = ring_[static_cast<std::size_t>(taken_ % static_cast<std::int64_t>(ring_.size()))];
    if (!thread_) {
        const auto times = make(buffer);
        ++taken_;
        auto batch = buffer.view();
        if (maker_.decodes())
            batch.decoding = std::chrono::duration_cast<Clock::duration>(Seconds(times.map_s));
        return batch;
    }
    std::unique_lock lock(mutex_);
    ++taken_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return made_ >= taken_ || failure_; });
    if (made_ < taken_) {
        --taken_;
        std::rethrow_exception(failure_);
    }
    return buffer.view();
}

StageTimes InputPipeline::times() const {
    const std::lock_guard lock(mutex_);
    return times_;
}

}  // namespace convoy
