#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace convoy {

/// Makes flock fail with ENOSYS in this thread, until it ends. False if the system cannot do so.
inline bool refuse_flock() {
    constexpr std::uint32_t refused = SECCOMP_RET_ERRNO | ENOSYS;
    std::array filter{
        sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_flock},
        sock_filter{BPF_RET | BPF_K, 0, 0, refused},
        sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    const sock_fprog program{filter.size(), filter.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// Calls work(), which must not throw, as on a file system without locks. False, without the call, if the
/// system cannot do so.
template <typename Work>
bool without_flock(const Work& work) {
    bool refused = false;
    std::thread([&] {
        refused = refuse_flock();
        if (refused) work();
    }).join();
    return refused;
}

}  // namespace convoy
