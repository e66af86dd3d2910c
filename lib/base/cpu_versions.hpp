#pragma once

// Some builds have one version, by the compiler's options: those for one processor (CONVOY_NATIVE), those by
// other compilers or for other processors, and sanitized ones, whose run-time library is not yet there when
// versions are chosen.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__AVX__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CONVOY_CPU_VERSIONS target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")
#else
#define CONVOY_CPU_VERSIONS
#endif

namespace convoy {

/// Calls work(), a function object with a loop that vectorises. The program holds the loop for three kinds of
/// x86-64 processors (any; with AVX2, FMA and F16C; with AVX-512), and takes the one for its processor when
/// it starts. The kinds are levels of the x86-64 psABI ("Micro-Architecture Levels"). What work() calls is
/// inlined; but the body of an OpenMP construct is a function of its own, so call this inside of it. work is
/// a copy: what it captured by value stays in registers. work() throws nothing: g++ 12 drops the handlers
/// around a call of a function that has versions.
template <typename Work>
__attribute__((flatten, CONVOY_CPU_VERSIONS)) void in_cpu_version(Work work) noexcept {
    work();
}

}  // namespace convoy

#undef CONVOY_CPU_VERSIONS
