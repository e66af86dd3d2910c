#include <algorithm>

#include "kernels/onednn/batch_norm_loops.hpp"

/// What batch normalisation does with one value a channel.
namespace convoy::onednn::loops {

void combine_moments(std::span<const std::int64_t> counts, std::span<const float> moments,
                     std::span<float> mean, std::span<float> variance) {
    const auto channels = mean.size();
    const auto means = [=](std::size_t rank) { return moments.subspan(2 * rank * channels, channels); };
    const auto variances = [=](std::size_t rank) {
        return moments.subspan((2 * rank + 1) * channels, channels);
    };
    double count = 0.0;
    for (const auto own : counts) count += static_cast<double>(own);
    for (std::size_t c = 0; c < channels; ++c) {
        double sum = 0.0;
        for (std::size_t rank = 0; rank < counts.size(); ++rank)
            sum += static_cast<double>(counts[rank]) * static_cast<double>(means(rank)[c]);
        const double middle = sum / count;
        double squares = 0.0;
        for (std::size_t rank = 0; rank < counts.size(); ++rank) {
            const double offset = static_cast<double>(means(rank)[c]) - middle;
            squares += static_cast<double>(counts[rank]) *
                       (static_cast<double>(variances(rank)[c]) + offset * offset);
        }
        mean[c] = static_cast<float>(middle);
        variance[c] = static_cast<float>(squares / count);
    }
}

void move_statistics(const BatchNormAttributes& attributes, double count, std::span<const float> mean,
                     std::span<const float> variance, const MovingStatistics& moving) {
    const auto keep = static_cast<float>(attributes.momentum);
    const auto take = static_cast<float>(1.0 - attributes.momentum);
    const auto unbiased = static_cast<float>(count / std::max(count - 1.0, 1.0));
    for (std::size_t c = 0; c < mean.size(); ++c) {
        moving.mean[c] = keep * moving.mean[c] + take * mean[c];
        moving.variance[c] = keep * moving.variance[c] + take * unbiased * variance[c];
    }
}

}  // namespace convoy::onednn::loops
