#include "kernels/onednn/convolution_primitives.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "kernels/onednn/recipe.hpp"
#include "kernels/onednn/selection.hpp"

namespace convoy::onednn {
namespace {

using Problem = ConvolutionProblem;

ConvolutionForward convolution_forward(dnnl::algorithm algorithm, const Problem& p) {
    using Desc = dnnl::convolution_forward::desc;
    const auto kind = dnnl::prop_kind::forward_training;
    const auto stride = dims_of(p.window.stride);
    const auto before = dims_of(p.window.padding_before);
    const auto after = dims_of(p.window.padding_after);
    const auto desc =
        p.bias ? Desc(kind, algorithm, p.source, p.weight, *p.bias, p.result, stride, before, after)
               : Desc(kind, algorithm, p.source, p.weight, p.result, stride, before, after);
    return {desc, attributes(p.window.relu, p.addend), engine()};
}

/// The forward primitive that a backward one of the same formats belongs to. A weight's gradient may be of
/// another type than the weight that it reads.
ConvolutionForward convolution_hint(dnnl::algorithm algorithm, Problem problem) {
    const auto type = problem.source.data_type();
    if (problem.weight.data_type() != type) problem.weight = any_format(retyped(problem.weight, type));
    problem.bias.reset();
    problem.addend.reset();
    problem.window.relu = false;
    return convolution_forward(algorithm, problem);
}

ConvolutionBackwardData convolution_backward_data(dnnl::algorithm algorithm, const Problem& p) {
    const dnnl::convolution_backward_data::desc desc(
        algorithm, p.source, p.weight, p.result, dims_of(p.window.stride), dims_of(p.window.padding_before),
        dims_of(p.window.padding_after));
    return {desc, attributes(), engine(), convolution_hint(algorithm, p)};
}

ConvolutionBackwardWeights convolution_backward_weights(dnnl::algorithm algorithm, const Problem& p) {
    using Desc = dnnl::convolution_backward_weights::desc;
    const auto stride = dims_of(p.window.stride);
    const auto before = dims_of(p.window.padding_before);
    const auto after = dims_of(p.window.padding_after);
    const auto desc = p.bias ? Desc(algorithm, p.source, p.weight, *p.bias, p.result, stride, before, after)
                             : Desc(algorithm, p.source, p.weight, p.result, stride, before, after);
    return {desc, attributes(), engine(), convolution_hint(algorithm, p)};
}

/// Algorithms to try, the one expected to be faster first. On a network's first layers, with few channels,
/// Winograd's transforms cost more than they save.
std::vector<dnnl::algorithm> algorithms(const KernelSpec& spec, const Problem& p) {
    const auto direct = dnnl::algorithm::convolution_direct;
    const auto weight = p.weight.dims();
    const bool possible = p.window.groups == 1 && weight[2] == 3 && weight[3] == 3 &&
                          p.window.stride == std::array<std::int64_t, 2>{1, 1};
    const bool pays = weight[0] % 16 == 0 && weight[1] % 16 == 0;
    if (spec.convolution == ConvolutionAlgorithm::direct || !possible || !pays) return {direct};
    return {dnnl::algorithm::convolution_winograd, direct};
}

/// Formats to try: as they are; another weight format; all of oneDNN's choice.
std::vector<Problem> relaxations(const Problem& problem) {
    auto weight = problem;
    weight.weight = any_format(problem.weight);
    auto source = problem;
    source.source = any_format(problem.source);
    auto all = weight;
    all.source = any_format(problem.source);
    if (!problem.addend) all.result = any_format(problem.result);  // the addend's format is settled
    return {problem, weight, source, all};
}

/// Whether an implementation multiplies matrices, for which it copies each value of the source into as many
/// places as a kernel has.
template <typename PrimitiveDesc>
bool copies_windows(const PrimitiveDesc& pd, const WindowAttributes& window) {
    const bool multiplies = std::string_view(pd.impl_info_str()).find(":gemm:") != std::string_view::npos;
    return multiplies && window.size[0] * window.size[1] > 1;
}

/// Formats to try in a forward pass, those last in which oneDNN copies windows. It takes such an
/// implementation where source and weight are plain, as weights are whose channels are no whole blocks. Other
/// formats of the two cost a copy of each; the result is in blocks then, in which pooling is faster.
std::vector<Problem> forward_formats(const Problem& problem) {
    auto candidates = relaxations(problem);
    std::ranges::stable_partition(candidates, [&](const Problem& candidate) {
        const auto pd = fast_implementation(
            [&] { return convolution_forward(dnnl::algorithm::convolution_direct, candidate); });
        return !pd || !copies_windows(*pd, problem.window);
    });
    return candidates;
}

/// Whether a format fills the last block of channels up.
bool is_padded(const Desc& desc) {
    const auto order = channel_order(desc);
    return order && order->block == avx2_block && order->channels % avx2_block != 0;
}

/// Formats to try in a backward pass. Where a format has padding, oneDNN's products of matrices in plain
/// formats are faster than its loops in blocks: measured on AVX2 with one thread and kernels of 5x5, by 5 to
/// 20%.
std::vector<Problem> backward_formats(const Problem& problem) {
    auto candidates = relaxations(problem);
    const bool padded = is_padded(problem.source) || is_padded(problem.result);
    if (problem.window.groups > 1 || problem.source.data_type() != DataType::f32 || !padded)
        return candidates;
    auto in_order = problem;
    in_order.source = plain(problem.source);
    in_order.result = plain(problem.result);
    candidates.insert(candidates.begin(), in_order);
    return candidates;
}

template <typename Make>
auto choose_convolution(const KernelSpec& spec, const std::vector<Problem>& candidates, const Make& make)
    -> Chosen<decltype(make(dnnl::algorithm::convolution_direct, candidates.front()))> {
    for (const auto algorithm : algorithms(spec, candidates.front())) {
        for (const auto& candidate : candidates) {
            if (auto pd = fast_implementation([&] { return make(algorithm, candidate); }))
                return {algorithm, *pd};
        }
    }
    // Rare shapes for which oneDNN has its reference implementation only.
    return {dnnl::algorithm::convolution_direct,
            make(dnnl::algorithm::convolution_direct, relaxations(candidates.front()).back())};
}

}  // namespace

PassFormats formats(const ConvolutionForward& pd) {
    return {pd.src_desc(), pd.weights_desc(), pd.dst_desc()};
}
PassFormats formats(const ConvolutionBackwardData& pd) {
    return {pd.diff_src_desc(), pd.weights_desc(), pd.diff_dst_desc()};
}
PassFormats formats(const ConvolutionBackwardWeights& pd) {
    return {pd.src_desc(), pd.diff_weights_desc(), pd.diff_dst_desc()};
}

Chosen<ConvolutionForward> choose_forward(const KernelSpec& spec, const ConvolutionProblem& problem) {
    return choose_convolution(spec, forward_formats(problem), convolution_forward);
}
Chosen<ConvolutionBackwardData> choose_backward_data(const KernelSpec& spec,
                                                     const ConvolutionProblem& problem) {
    return choose_convolution(spec, backward_formats(problem), convolution_backward_data);
}
Chosen<ConvolutionBackwardWeights> choose_backward_weights(const KernelSpec& spec,
                                                           const ConvolutionProblem& problem) {
    return choose_convolution(spec, backward_formats(problem), convolution_backward_weights);
}

Desc activation_format(const Shape& shape, DataType type) {
    const auto order = plain(shape, type);
    if (shape.rank() != 4) return order;
    const auto any = any_format(order);
    const WindowAttributes window{
        .size = {3, 3}, .stride = {1, 1}, .padding_before = {1, 1}, .padding_after = {1, 1}};
    const Problem problem{.source = any,
                          .weight = any_format(plain(Shape{shape[1], shape[1], 3, 3}, type)),
                          .result = any,
                          .bias = {},
                          .addend = {},
                          .window = window};
    const auto liked = fast_implementation(
        [&] { return convolution_forward(dnnl::algorithm::convolution_direct, problem); });
    if (!liked || !channel_order(liked->src_desc()) || !Layout{liked->src_desc(), {}}.dense()) return order;
    return liked->src_desc();
}

}  // namespace convoy::onednn
