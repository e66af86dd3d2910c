#include "kernels/xtensor/openblas.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <xflens/cxxblas/drivers/cblas.h>

#include "base/error.hpp"

// OpenBLAS starts threads and takes address space as soon as it is loaded, and its handlers of fork wait for
// these threads. So it is no part of the program: the first product of matrices loads it. A launcher computes
// none. xtensor-blas calls the functions of BLAS by their names, which are defined here.

namespace convoy::plain {
namespace {

constexpr auto library_name = "libopenblas.so.0";

void* symbol(const char* name) {
    static void* const library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    void* const found = library == nullptr ? nullptr : ::dlsym(library, name);
    if (found == nullptr) {
        throw MissingFileError(
            fmt::format("{}: cannot be loaded; install OpenBLAS (Debian: libopenblas0), or choose the onednn "
                        "back-end",
                        library_name));
    }
    return found;
}

/// The function of OpenBLAS that has the name and the type of one that is defined here.
template <typename Function>
Function* loaded(Function* /*of_this_type*/, const char* name) {
    return reinterpret_cast<Function*>(symbol(name));
}

}  // namespace

void set_blas_threads(int threads) {
    using SetThreads = void(int);
    loaded(static_cast<SetThreads*>(nullptr), "openblas_set_num_threads")(threads);
}

}  // namespace convoy::plain

using convoy::plain::loaded;

extern "C" {

void cblas_sgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE trans_a, CBLAS_TRANSPOSE trans_b, CBLAS_INT m,
                 CBLAS_INT n, CBLAS_INT k, float alpha, const float* a, CBLAS_INT lda, const float* b,
                 CBLAS_INT ldb, float beta, float* c, CBLAS_INT ldc) {
    static auto* const function = loaded(&cblas_sgemm, "cblas_sgemm");
    function(order, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void cblas_dgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE trans_a, CBLAS_TRANSPOSE trans_b, CBLAS_INT m,
                 CBLAS_INT n, CBLAS_INT k, double alpha, const double* a, CBLAS_INT lda, const double* b,
                 CBLAS_INT ldb, double beta, double* c, CBLAS_INT ldc) {
    static auto* const function = loaded(&cblas_dgemm, "cblas_dgemm");
    function(order, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void cblas_ssyrk(CBLAS_ORDER order, CBLAS_UPLO part, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k,
                 float alpha, const float* a, CBLAS_INT lda, float beta, float* c, CBLAS_INT ldc) {
    static auto* const function = loaded(&cblas_ssyrk, "cblas_ssyrk");
    function(order, part, trans, n, k, alpha, a, lda, beta, c, ldc);
}

void cblas_dsyrk(CBLAS_ORDER order, CBLAS_UPLO part, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k,
                 double alpha, const double* a, CBLAS_INT lda, double beta, double* c, CBLAS_INT ldc) {
    static auto* const function = loaded(&cblas_dsyrk, "cblas_dsyrk");
    function(order, part, trans, n, k, alpha, a, lda, beta, c, ldc);
}

}  // extern "C"
