#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>

namespace convoy {

/// Makes a system call fail with this errno in this thread, until it ends. False if the system cannot do so.
inline bool refuse_call(std::uint32_t call, std::uint32_t reason) {
    std::array filter{
        sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 1, call},
        sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | reason},
        sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    const sock_fprog program{filter.size(), filter.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// Calls work() as on a system that refuses a system call with this errno, and throws what it throws. False,
/// without the call, if the system cannot do so.
template <typename Work>
bool without_call(std::uint32_t call, std::uint32_t reason, const Work& work) {
    bool refused = false;
    std::exception_ptr thrown;
    std::thread([&] {
        refused = refuse_call(call, reason);
        try {
            if (refused) work();
        } catch (...) {
            thrown = std::current_exception();
        }
    }).join();
    if (thrown) std::rethrow_exception(thrown);
    return refused;
}

/// As without_call: a file system without locks, some of NFS and FUSE among them.
template <typename Work>
bool without_locks(std::uint32_t reason, const Work& work) {
    return without_call(SYS_flock, reason, work);
}

}  // namespace convoy
