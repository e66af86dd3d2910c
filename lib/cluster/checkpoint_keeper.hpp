#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <optional>
#include <string>

#include "job/checkpoint.hpp"

namespace convoy {

/// Keeps checkpoints on a thread of its own ("checkpoints"), one after another. So a slow disk does not delay
/// the launcher's answers to nodes.
class CheckpointKeeper {
  public:
    using Keep = std::function<void(const RunCheckpoint&)>;
    /// problem: the reason why the checkpoint was not kept, in one line; absent if it was kept.
    using OnKept = std::function<void(const std::optional<std::string>& problem)>;

    /// keep: called on the keeper's own thread; empty: nothing is kept. on_kept: called on the thread that
    /// runs io. io has work as long as a checkpoint is being kept.
    CheckpointKeeper(boost::asio::io_context& io, Keep keep, OnKept on_kept);
    CheckpointKeeper(const CheckpointKeeper&) = delete;
    CheckpointKeeper& operator=(const CheckpointKeeper&) = delete;
    CheckpointKeeper(CheckpointKeeper&&) = delete;
    CheckpointKeeper& operator=(CheckpointKeeper&&) = delete;
    /// Waits for a checkpoint that is being kept.
    ~CheckpointKeeper();

    void keep(RunCheckpoint checkpoint);

  private:
    boost::asio::io_context& io_;
    Keep keep_;
    OnKept on_kept_;
    std::optional<boost::asio::thread_pool> thread_;  ///< it begins with the first checkpoint
};

}  // namespace convoy
