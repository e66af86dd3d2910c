#include "base/spawn_attributes.hpp"

#include <csignal>

#include "base/end_on_signal.hpp"

namespace convoy {

SpawnAttributes::SpawnAttributes(Session session) {
    sigset_t none;
    sigset_t usual;
    ::sigemptyset(&none);
    ::sigfillset(&usual);
    if (is_ignored(SIGHUP)) ::sigdelset(&usual, SIGHUP);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &usual);
    const int session_flag = session == Session::own ? POSIX_SPAWN_SETSID : 0;
    ::posix_spawnattr_setflags(
        &attributes_, static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | session_flag));
}

}  // namespace convoy
