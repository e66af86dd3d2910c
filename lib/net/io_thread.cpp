#include "net/io_thread.hpp"

#include <boost/asio/post.hpp>

#include "base/clock.hpp"

namespace convoy {
namespace {

/// How long the context rests for the next guest. A shorter rest wakes the own thread while a guest runs the
/// context, which takes the core from the guest.
constexpr std::chrono::milliseconds rest{10};

}  // namespace

std::chrono::microseconds suggested_spin(std::int64_t threads, std::int64_t cores) {
    return std::chrono::microseconds(cores >= threads ? 50 : 0);
}

IoThread::IoThread() : work_(context_.get_executor()), thread_([this] { run(); }) {}

IoThread::~IoThread() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    context_.stop();
    thread_.join();
}

void IoThread::set_spin(std::chrono::microseconds own, std::chrono::microseconds guest) {
    own_spin_us_.store(own.count(), std::memory_order_relaxed);
    guest_spin_us_.store(guest.count(), std::memory_order_relaxed);
}

void IoThread::run() {
    while (!context_.stopped()) {
        run_some(std::chrono::microseconds(own_spin_us_.load(std::memory_order_relaxed)));
        give_way();
    }
}

void IoThread::run_some(std::chrono::microseconds spin) {
    if (spin.count() > 0) {
        const auto end = Clock::now() + spin;
        do {
            if (context_.poll() > 0) return;
            std::this_thread::yield();  // to whoever wants this core
        } while (!context_.stopped() && Clock::now() < end);
    }
    context_.run_one();
}

// The own thread looks at the state now and then by itself, so that a guest that leaves need not wake it.
void IoThread::give_way() {
    std::unique_lock lock(mutex_);
    while (driver_ != Driver::own && !ending_) {
        if (driver_ == Driver::wanted) {
            driver_ = Driver::guest;
            changed_.notify_all();
        }
        const auto seen = guests_;
        const auto woken = changed_.wait_for(lock, rest);
        if (woken == std::cv_status::timeout && driver_ == Driver::resting && guests_ == seen)
            driver_ = Driver::own;
    }
}

bool IoThread::enter() {
    std::unique_lock lock(mutex_);
    if (driver_ == Driver::guest || driver_ == Driver::wanted) return false;
    ++guests_;
    if (driver_ == Driver::resting) {
        driver_ = Driver::guest;
        return true;
    }
    driver_ = Driver::wanted;
    boost::asio::post(context_, [] {});  // ends the own thread's sleep
    changed_.wait(lock, [this] { return driver_ == Driver::guest; });
    return true;
}

bool IoThread::run_until(const std::function<bool()>& done, const std::function<bool()>& more_to_do) {
    if (!enter()) return false;
    const std::chrono::microseconds spin(guest_spin_us_.load(std::memory_order_relaxed));
    while (!done()) run_some(spin);
    const bool more = more_to_do();
    const std::lock_guard lock(mutex_);
    driver_ = more ? Driver::own : Driver::resting;
    if (more) changed_.notify_all();
    return true;
}

void IoThread::resume() {
    const std::lock_guard lock(mutex_);
    if (driver_ != Driver::resting) return;
    driver_ = Driver::own;
    changed_.notify_all();
}

}  // namespace convoy
