#include <catch2/catch.hpp>
#include <string>

#include "kernels/onednn/convolution_primitives.hpp"
#include "kernels/onednn/selection.hpp"

using namespace convoy;
using namespace convoy::onednn;

namespace {

/// A convolution 3x3 of plain images with 12 channels, to 20 channels; its result may have any format.
ConvolutionProblem to_odd_channels() {
    return {.source = onednn::plain(Shape{4, 12, 9, 9}),
            .weight = onednn::plain(Shape{20, 12, 3, 3}),
            .result = any_format(onednn::plain(Shape{4, 20, 7, 7})),
            .bias = {},
            .addend = {},
            .window = {.size = {3, 3}, .stride = {1, 1}, .padding_before = {0, 0}, .padding_after = {0, 0}}};
}

bool is_product_of_matrices(const auto& pd) {
    return std::string(pd.impl_info_str()).find(":gemm:") != std::string::npos;
}

}  // namespace

TEST_CASE("a convolution to odd channels has its result in blocks, and does not copy windows") {
    const auto chosen = choose_forward(KernelSpec{}, to_odd_channels());
    INFO(chosen.pd.impl_info_str());
    CHECK_FALSE(is_product_of_matrices(chosen.pd));
    CHECK(channel_order(chosen.pd.dst_desc()).value().block > 1);
}

TEST_CASE("gradients of odd channels in blocks of 8 are products of matrices in plain order") {
    auto problem = to_odd_channels();
    problem.source = {problem.source.dims(), DataType::f32, dnnl::memory::format_tag::nChw8c};
    problem.result = {problem.result.dims(), DataType::f32, dnnl::memory::format_tag::nChw8c};
    const auto weights = choose_backward_weights(KernelSpec{}, problem);
    CHECK(weights.pd.diff_dst_desc() == onednn::plain(problem.result));
    CHECK(is_product_of_matrices(weights.pd));
    CHECK(choose_backward_data(KernelSpec{}, problem).pd.diff_dst_desc() == onednn::plain(problem.result));
    // Whole blocks stay in their format.
    problem.source = {{4, 16, 9, 9}, DataType::f32, dnnl::memory::format_tag::nChw8c};
    problem.weight = any_format(onednn::plain(Shape{24, 16, 3, 3}));
    problem.result = {{4, 24, 7, 7}, DataType::f32, dnnl::memory::format_tag::nChw8c};
    CHECK(choose_backward_data(KernelSpec{}, problem).pd.diff_dst_desc() == problem.result);
}

TEST_CASE("gradients of several groups stay in the formats of the forward pass") {
    auto problem = to_odd_channels();
    problem.window.groups = 12;
    problem.weight = any_format(onednn::plain(Shape{12, 1, 1, 3, 3}));
    problem.source = {{4, 12, 9, 9}, DataType::f32, dnnl::memory::format_tag::nChw8c};
    problem.result = {{4, 12, 7, 7}, DataType::f32, dnnl::memory::format_tag::nChw8c};
    CHECK(choose_backward_weights(KernelSpec{}, problem).pd.diff_dst_desc() == problem.result);
}
