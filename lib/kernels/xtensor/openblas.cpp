#include "kernels/xtensor/openblas.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include <xflens/cxxblas/drivers/cblas.h>

#include "base/error.hpp"

// OpenBLAS starts threads and takes address space as soon as it is loaded, and its handlers of fork wait for
// these threads. So it is no part of the program: the first product of matrices loads it. A launcher computes
// none. xtensor-blas calls the functions of BLAS by their names, which are defined here.

namespace convoy::plain {
namespace {

constexpr auto library_name = "libopenblas.so.0";

/// Each thread of OpenBLAS takes 128 MB of address space, and tries again for ever while it gets none. So
/// this asks the system for as much, and for the library itself, before the library is loaded.
void require_address_space(int threads) {
    constexpr std::size_t of_a_thread = std::size_t{129} << 20U, of_the_library = std::size_t{64} << 20U;
    const auto bytes = of_a_thread * static_cast<std::size_t>(threads) + of_the_library;
    void* const room =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
        throw DataError(
            fmt::format("OpenBLAS needs {} bytes of address space, and the system gives this process no more "
                        "(see ulimit -a); choose the onednn back-end",
                        bytes));
    }
    ::munmap(room, bytes);
}

/// Loads OpenBLAS with so many threads. By itself it would start one on each core.
void* load(int threads) {
    require_address_space(threads);
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing else here reads the environment while nodes start
    ::setenv("OPENBLAS_NUM_THREADS", std::to_string(threads).c_str(), 1);
    void* const library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* const reason = ::dlerror();  // NOLINT(concurrency-mt-unsafe): of this thread
        throw MissingFileError(fmt::format(
            "OpenBLAS cannot be loaded: {}; install it (Debian: libopenblas0), or choose the onednn back-end",
            reason));
    }
    return library;
}

/// threads: counts only for the first call, which loads the library.
void* symbol(const char* name, int threads = 1) {
    static void* const library = load(threads);
    void* const found = ::dlsym(library, name);
    if (found == nullptr) throw MissingFileError(fmt::format("{} has no {}", library_name, name));
    return found;
}

/// The function of OpenBLAS that has the name and the type of one that is defined here.
template <typename Function>
Function* loaded(Function* /*of_this_type*/, const char* name) {
    return reinterpret_cast<Function*>(symbol(name));
}

/// Lets OpenBLAS take the address space of this thread at once. It takes none for a small product.
void take_address_space() {
    constexpr CBLAS_INT side = 128;
    const std::vector<float> factor(std::size_t{side} * side);
    std::vector<float> product(factor.size());
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, side, side, side, 1.0F, factor.data(), side,
                factor.data(), side, 0.0F, product.data(), side);
}

}  // namespace

void set_blas_threads(int threads) {
    using SetThreads = void(int);
    reinterpret_cast<SetThreads*>(symbol("openblas_set_num_threads", threads))(threads);
    take_address_space();
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
