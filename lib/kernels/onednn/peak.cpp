#include "kernels/onednn/peak.hpp"

#include <omp.h>

#include <algorithm>
#include <oneapi/dnnl/dnnl.hpp>

#include "base/clock.hpp"

namespace convoy {

double measured_peak_gflops(ComputeType type, int threads) {
    constexpr dnnl::memory::dim width = 1024;
    constexpr double flops = 2.0 * width * width * width;
    constexpr Seconds long_enough{0.3};
    const auto data_type =
        type == ComputeType::bfloat16 ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f32;
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);
    const dnnl::memory::desc any({width, width}, data_type, dnnl::memory::format_tag::any);
    omp_set_num_threads(threads);
    const dnnl::matmul::primitive_desc description(dnnl::matmul::desc(any, any, any), engine);
    const dnnl::matmul product(description);
    dnnl::memory left(description.src_desc(), engine);
    dnnl::memory right(description.weights_desc(), engine);
    dnnl::memory result(description.dst_desc(), engine);
    for (auto* operand : {&left, &right}) {  // zeros: no value slows a product down
        auto* const bytes = static_cast<std::byte*>(operand->get_data_handle());
        std::fill_n(bytes, operand->get_desc().get_size(), std::byte{0});
    }
    double best = 0.0;
    for (const auto began = Clock::now(); since(began) < long_enough;) {
        const auto start = Clock::now();
        product.execute(stream, {{DNNL_ARG_SRC, left}, {DNNL_ARG_WEIGHTS, right}, {DNNL_ARG_DST, result}});
        stream.wait();
        best = std::max(best, flops / Seconds(Clock::now() - start).count() / 1e9);
    }
    return best;
}

}  // namespace convoy
