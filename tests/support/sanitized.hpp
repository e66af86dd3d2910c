#pragma once

namespace convoy::test {

/// Whether this build has the sanitizer of threads, and whether it has any. The one of undefined behaviour
/// tells nothing of itself, and is always built with the one of addresses.
#ifdef __SANITIZE_THREAD__
inline constexpr bool has_thread_sanitizer = true;
#else
inline constexpr bool has_thread_sanitizer = false;
#endif
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = has_thread_sanitizer;
#endif

/// The tags of a test that is left out of some builds: [.] hides it there.
constexpr const char* left_out(bool where) {
    return where ? "[.]" : "";
}

}  // namespace convoy::test
