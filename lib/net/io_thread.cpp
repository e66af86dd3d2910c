#include "net/io_thread.hpp"

#include "base/clock.hpp"

namespace convoy {

std::chrono::microseconds suggested_spin(std::int64_t busy_threads, std::int64_t cores) {
    return std::chrono::microseconds(cores > busy_threads ? 50 : 0);
}

IoThread::IoThread(std::chrono::microseconds spin)
    : work_(context_.get_executor()), spin_us_(spin.count()), thread_([this] { run(); }) {}

IoThread::~IoThread() {
    context_.stop();
    thread_.join();
}

void IoThread::run() {
    while (!context_.stopped()) {
        if (!spin()) context_.run_one();
    }
}

bool IoThread::spin() {
    const std::chrono::microseconds limit(spin_us_.load(std::memory_order_relaxed));
    if (limit.count() == 0) return false;
    const auto end = Clock::now() + limit;
    do {
        if (context_.poll() > 0) return true;
    } while (!context_.stopped() && Clock::now() < end);
    return false;
}

}  // namespace convoy
