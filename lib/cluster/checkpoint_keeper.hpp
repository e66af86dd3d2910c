#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <optional>
#include <string>

#include "job/checkpoint.hpp"

namespace convoy {

/// Keeps checkpoints on a thread of its own, one after another: the disk may take its time, and the nodes
/// want answers to other things meanwhile.
class CheckpointKeeper {
  public:
    using Keep = std::function<void(const RunCheckpoint&)>;
    /// problem: why the checkpoint was not kept, in one line; absent where all is well.
    using OnKept = std::function<void(const std::optional<std::string>& problem)>;

    /// keep: called on the other thread; empty: nothing is kept. on_kept: called on the thread that runs io,
    /// which goes on for as long as a checkpoint is on its way.
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
    boost::asio::thread_pool thread_{1};
};

}  // namespace convoy
