#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "exchange/host_map.hpp"
#include "net/channel.hpp"
#include "net/control_frames.hpp"
#include "net/scratch.hpp"
#include "net/wait_mark.hpp"

namespace convoy {

struct FabricOptions {
    Clock::duration deadline = std::chrono::seconds(30);  ///< the longest that a call may go without progress
    Clock::duration grace = std::chrono::seconds(1);  ///< after a failure, for learning and telling the cause
    std::vector<std::int64_t> host_of_rank = {};      ///< see HostMap; empty: each rank has one of its own
};

/// Why a fabric is of no use any more, and how its peers are told so.
struct FabricFailure {
    std::exception_ptr cause;
    FailureNotice notice;
};

/// What exchanges run on: this node's rank and its channels to the peers that it talks to. A link has a
/// direction (data goes one way on it), so that closing one after a failure never discards what the other
/// still carries; two neighbours have two links. One exchange at a time uses a link; exchanges on different
/// links may run at the same time. Rank, world size and hosts never change and may be asked from any thread,
/// byte counters too; all other members belong to the executor's one thread.
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

    /// Adds a link; before the first exchange only.
    void link_to(std::int64_t peer, std::unique_ptr<Channel> channel);
    void link_from(std::int64_t peer, std::unique_ptr<Channel> channel);

    [[nodiscard]] boost::asio::any_io_executor executor() const { return executor_; }
    [[nodiscard]] std::int64_t rank() const { return rank_; }
    [[nodiscard]] std::int64_t world_size() const { return hosts_.world_size(); }
    [[nodiscard]] const HostMap& hosts() const { return hosts_; }
    /// The link that sends to, or receives from, a peer. Throws InternalError where there is none.
    [[nodiscard]] Channel& to(std::int64_t peer) const;
    [[nodiscard]] Channel& from(std::int64_t peer) const;
    /// How many exchanges have used that link and ended: the number of the one that uses it now. Both sides
    /// of a link count alike.
    [[nodiscard]] std::uint64_t sequence_to(std::int64_t peer) const;
    [[nodiscard]] std::uint64_t sequence_from(std::int64_t peer) const;

    /// Working memory for an exchange.
    [[nodiscard]] ScratchPool::Lease scratch(std::size_t bytes) { return scratch_.borrow(bytes); }

    /// An exchange's use of its links, from its begin to its end. While one lives, the deadline is enforced:
    /// one timer for all links looks at how long their calls have been without progress, which costs the
    /// calls themselves nothing.
    class Use;
    /// activity stands in errors before a number, as in "all-reduce 17"; it must outlive the use. waited says
    /// since when a thread waits for the exchange; nullptr where the deadline always counts. Else it counts
    /// for what is sent, and for what is received from a peer of which nothing has come yet, only while a
    /// thread waits, and starts anew with each progress of an exchange that a thread waits for. Throws
    /// InternalError where a link is in use, and the cause of an earlier failure.
    [[nodiscard]] Use use(std::string_view activity, std::span<const std::int64_t> send_to,
                          std::span<const std::int64_t> receive_from, const WaitMark* waited = nullptr);

    /// After a failure: whatever is pending once the grace has passed is ended.
    void hurry();
    /// Ends the use of this fabric: hurries, and closes what this node receives from, which frees the peers
    /// that are stuck in sending to it. All links are closed when the last use ends. The first failure stays,
    /// and is returned.
    const FabricFailure& fail(FabricFailure failure);
    /// Closes every channel; pending and later calls on them throw.
    void close();
    /// After a failure: all that this node sends to and no exchange uses. For the caller alone: the next one
    /// gets none of these.
    [[nodiscard]] std::vector<Channel*> take_idle_outgoing();
    /// Over all channels; may be called from any thread.
    [[nodiscard]] std::uint64_t sent_bytes() const;
    [[nodiscard]] std::uint64_t received_bytes() const;

  private:
    struct Link {
        std::unique_ptr<Channel> channel;
        std::uint64_t sequence = 0;
        bool used = false;
    };
    using Links = std::map<std::int64_t, std::unique_ptr<Link>>;
    static Link& find(const Links& links, std::int64_t peer, std::string_view direction);

    void arm();
    void check_deadlines();
    void expire_all(TimePoint cutoff);

    boost::asio::any_io_executor executor_;
    std::int64_t rank_;
    FabricOptions options_;
    HostMap hosts_;
    Links to_, from_;
    ScratchPool scratch_;
    std::vector<Use*> uses_;
    std::optional<FabricFailure> failure_;

    boost::asio::steady_timer timer_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // lets a timer that outlives this know it
    bool armed_ = false;
    std::optional<TimePoint> hurry_until_;
};

class Fabric::Use {
  public:
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    Use(Use&&) = delete;
    Use& operator=(Use&&) = delete;
    ~Use();

  private:
    friend class Fabric;
    Use(Fabric& fabric, std::string_view activity, std::span<const std::int64_t> send_to,
        std::span<const std::int64_t> receive_from, const WaitMark* waited);

    struct Incoming {
        Link* link;
        std::uint64_t bytes_before;
        [[nodiscard]] bool heard() const { return link->channel->received_bytes() > bytes_before; }
    };
    /// The last progress of an exchange that a thread waits for, or when that began.
    [[nodiscard]] std::optional<TimePoint> waited_progress() const;
    /// counts: whether the deadline does, where it does not always.
    void expire(TimePoint cutoff, bool counts) const;
    void expire(const Link& link, TimePoint cutoff) const;

    Fabric& fabric_;
    std::string_view activity_;
    const WaitMark* waited_;
    std::vector<Link*> to_;
    std::vector<Incoming> from_;
};

}  // namespace convoy
