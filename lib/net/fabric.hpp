#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "exchange/host_map.hpp"
#include "net/channel.hpp"

namespace convoy {

struct FabricOptions {
    Clock::duration deadline = std::chrono::seconds(30);  ///< the longest that a call may go without progress
    Clock::duration grace = std::chrono::seconds(1);  ///< after a failure, for learning and telling the cause
    std::vector<std::int64_t> host_of_rank = {};      ///< see HostMap; empty: each rank has one of its own
};

/// What a collective runs on: this node's rank and its channels to the peers that it talks to. A link has a
/// direction (data goes one way on it), so that closing one after a failure never discards what the other
/// still carries; two neighbours have two links. All members but the byte counters belong to the executor's
/// one thread.
class Fabric {
  public:
    /// Throws InternalError where rank is not in [0, world_size).
    Fabric(boost::asio::any_io_executor executor, std::int64_t rank, std::int64_t world_size,
           FabricOptions options = {});
    Fabric(const Fabric&) = delete;
    Fabric& operator=(const Fabric&) = delete;
    Fabric(Fabric&&) = delete;
    Fabric& operator=(Fabric&&) = delete;
    ~Fabric();

    /// Adds a link; before the first collective only.
    void link_to(std::int64_t peer, std::unique_ptr<Channel> channel);
    void link_from(std::int64_t peer, std::unique_ptr<Channel> channel);

    [[nodiscard]] boost::asio::any_io_executor executor() const { return executor_; }
    [[nodiscard]] std::int64_t rank() const { return rank_; }
    [[nodiscard]] std::int64_t world_size() const { return hosts_.world_size(); }
    [[nodiscard]] const HostMap& hosts() const { return hosts_; }
    /// The link that sends to, or receives from, a peer. Throws InternalError where there is none.
    [[nodiscard]] Channel& to(std::int64_t peer) const;
    [[nodiscard]] Channel& from(std::int64_t peer) const;

    /// Numbers collectives from 0: the same on all ranks, as all start the same ones in the same order.
    std::uint64_t next_sequence() { return next_sequence_++; }
    /// Working memory of at least this many bytes, aligned to 64; its content lasts until the next call.
    std::span<std::byte> scratch(std::size_t bytes);

    /// While one lives, the deadline is enforced: one timer for all channels looks at how long their calls
    /// have been without progress, which costs the calls themselves nothing.
    class Watch {
      public:
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;
        Watch(Watch&&) = delete;
        Watch& operator=(Watch&&) = delete;
        ~Watch();

      private:
        friend class Fabric;
        Watch(Fabric& fabric, std::string activity);
        Fabric& fabric_;
    };
    /// activity stands in errors, as in "all-reduce 17". One watch at a time.
    [[nodiscard]] Watch watch(std::string activity) { return {*this, std::move(activity)}; }
    /// After a failure: whatever is pending once the grace has passed is ended.
    void hurry();

    /// Closes every channel; pending and later calls on them throw.
    void close();
    /// Closes those that this node receives from.
    void close_incoming();
    /// All that this node sends to.
    [[nodiscard]] std::vector<Channel*> outgoing() const;
    /// Over all channels; may be called from any thread.
    [[nodiscard]] std::uint64_t sent_bytes() const;
    [[nodiscard]] std::uint64_t received_bytes() const;

  private:
    void arm();
    void check_deadlines();

    struct FreeAligned {
        void operator()(std::byte* memory) const;
    };

    boost::asio::any_io_executor executor_;
    std::int64_t rank_;
    FabricOptions options_;
    HostMap hosts_;
    std::map<std::int64_t, std::unique_ptr<Channel>> to_, from_;
    std::uint64_t next_sequence_ = 0;
    std::unique_ptr<std::byte, FreeAligned> scratch_;
    std::size_t scratch_bytes_ = 0;

    boost::asio::steady_timer timer_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // lets a timer that outlives this know it
    bool armed_ = false;
    bool watching_ = false;
    std::string activity_;
    std::optional<TimePoint> hurry_until_;
};

}  // namespace convoy
