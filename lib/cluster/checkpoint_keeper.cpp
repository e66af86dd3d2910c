#include "cluster/checkpoint_keeper.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "base/end_on_signal.hpp"

namespace convoy {

namespace asio = boost::asio;

CheckpointKeeper::CheckpointKeeper(asio::io_context& io, Keep keep, OnKept on_kept)
    : io_(io), keep_(std::move(keep)), on_kept_(std::move(on_kept)) {}

CheckpointKeeper::~CheckpointKeeper() {
    if (thread_) thread_->join();
}

void CheckpointKeeper::keep(RunCheckpoint checkpoint) {
    if (!thread_) {
        const HeldSignals held;  // the thread inherits that it takes none
        thread_.emplace(1);
        asio::post(*thread_, [] { ::pthread_setname_np(::pthread_self(), "checkpoints"); });
    }
    auto work = asio::make_work_guard(io_);
    asio::post(*thread_, [this, work, checkpoint = std::move(checkpoint)] {
        std::optional<std::string> problem;
        try {
            if (keep_) keep_(checkpoint);
        } catch (const std::exception& error) {
            problem = fmt::format("no checkpoint of step {}: {}", checkpoint.step(), error.what());
        }
        asio::post(io_, [this, problem] { on_kept_(problem); });
    });
}

}  // namespace convoy
