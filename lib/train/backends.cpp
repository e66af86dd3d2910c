#include "train/backends.hpp"

#include "base/error.hpp"
#include "kernels/onednn/backend.hpp"
#include "kernels/xtensor/backend.hpp"

namespace convoy {

std::unique_ptr<Backend> make_backend(const KernelSpec& spec, int threads, int layout_threads) {
    switch (spec.name) {
        case KernelLibrary::xtensor: return make_xtensor_backend();
        case KernelLibrary::onednn: return make_onednn_backend(spec, threads, layout_threads);
    }
    throw InternalError("a kernel library without a case");
}

}  // namespace convoy
