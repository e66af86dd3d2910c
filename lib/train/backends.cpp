#include "train/backends.hpp"

#include "base/error.hpp"
#include "kernels/onednn/onednn_backend.hpp"
#include "kernels/xtensor/xtensor_backend.hpp"

namespace convoy {

std::unique_ptr<Backend> make_backend(const KernelSpec& spec, int threads, int layout_threads) {
    switch (spec.name) {
        case KernelLibrary::xtensor: return make_xtensor_backend();
        case KernelLibrary::onednn: return make_onednn_backend(spec, threads, layout_threads);
    }
    throw InternalError("a kernel library without a case");
}

std::optional<std::string> unmet_wish(const KernelSpec& spec) {
    if (spec.name != KernelLibrary::onednn || onednn_compute_type(spec) == spec.compute_type)
        return std::nullopt;
    return "$.kernels.compute_type: this processor has no instructions for bfloat16 (AVX512_BF16), so "
           "float32 is used";
}

}  // namespace convoy
