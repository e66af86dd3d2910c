#pragma once

#include <poll.h>

/// Whether a file descriptor becomes readable, or ends, within so many milliseconds.
inline bool readable_within(int handle, int milliseconds) {
    pollfd wanted{.fd = handle, .events = POLLIN, .revents = 0};
    return ::poll(&wanted, 1, milliseconds) == 1;
}
