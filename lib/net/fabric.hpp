#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "exchange/host_map.hpp"
#include "net/channel.hpp"
#include "net/control_frames.hpp"
#include "net/scratch.hpp"
#include "net/wait_mark.hpp"

namespace convoy {

/// See FabricOptions. The launcher collects evidence for more than twice as long (cluster/inquest.cpp): a
/// node that tells its peers first is still in time to tell it, and so is the peer behind it.
inline constexpr std::chrono::milliseconds usual_grace{700};
/// A fabric looks so often in a deadline or a grace whether it is over, so it ends a part of it too late.
inline constexpr int looks_in_time = 8;

/// Times of a fabric, and the hosts of its ranks.
struct FabricOptions {
    Clock::duration deadline = std::chrono::seconds(30);  ///< the longest that a call may go without progress
    /// Time after a failure, in which a node tells its peers the cause.
    Clock::duration grace = usual_grace;
    std::vector<std::int64_t> host_of_rank = {};  ///< see HostMap; empty: each rank has a host of its own
};

/// The reason why a fabric cannot be used any more, and the notice for its peers.
struct FabricFailure {
    std::exception_ptr cause;
    FailureNotice notice;
};

/// The links of one node on which exchanges run: its rank and its channels to its peers. Data goes in one
/// direction on a link, so two neighbours have two links. So closing one link after a failure never discards
/// data on the other link. One exchange at a time uses a link. Exchanges on different links may run at the
/// same time. Any thread may ask for the rank, the world size, the hosts and the byte counters. All other
/// members belong to the executor's one thread.
class Fabric {
  public:
    /// Throws InternalError if rank is not in [0, world_size).
    Fabric(boost::asio::any_io_executor executor, std::int64_t rank, std::int64_t world_size,
           FabricOptions options = {});
    Fabric(const Fabric&) = delete;
    Fabric& operator=(const Fabric&) = delete;
    Fabric(Fabric&&) = delete;
    Fabric& operator=(Fabric&&) = delete;
    ~Fabric();

    /// Adds a link. Call it before the first exchange only.
    void link_to(std::int64_t peer, std::unique_ptr<Channel> channel);
    void link_from(std::int64_t peer, std::unique_ptr<Channel> channel);

    [[nodiscard]] boost::asio::any_io_executor executor() const { return executor_; }
    [[nodiscard]] std::int64_t rank() const { return rank_; }
    [[nodiscard]] std::int64_t world_size() const { return hosts_.world_size(); }
    [[nodiscard]] const HostMap& hosts() const { return hosts_; }
    /// The link that sends to a peer, or receives from a peer. Throws InternalError if there is none.
    [[nodiscard]] Channel& to(std::int64_t peer) const;
    [[nodiscard]] Channel& from(std::int64_t peer) const;
    /// The number of exchanges that have used this link and ended. It is also the number of the exchange that
    /// uses it now. Both sides of a link count in the same way.
    [[nodiscard]] std::uint64_t sequence_to(std::int64_t peer) const;
    [[nodiscard]] std::uint64_t sequence_from(std::int64_t peer) const;

    /// Working memory for an exchange.
    [[nodiscard]] ScratchPool::Lease scratch(std::size_t bytes) { return scratch_.borrow(bytes); }

    /// An exchange's use of its links, from its start to its end. The deadline is enforced while a Use lives:
    /// one timer for all links checks how long their calls have had no progress. The calls themselves have no
    /// timers.
    class Use;
    /// Begins an exchange on these links. activity: text for errors before a number, as in "all-reduce 17";
    /// it must outlive the Use.
    ///
    /// waited: the time since which a thread waits for the exchange; nullptr: the deadline always counts.
    /// With `waited`, the deadline of sends, and of receives from a peer that has sent nothing yet, counts
    /// only while a thread waits. It restarts with each progress of an exchange for which a thread waits.
    ///
    /// Throws InternalError if a link is in use, and the cause of an earlier failure.
    [[nodiscard]] Use use(std::string_view activity, std::span<const std::int64_t> send_to,
                          std::span<const std::int64_t> receive_from, const WaitMark* waited = nullptr);

    /// After a failure: ends all calls that are pending when the grace has passed.
    void hurry();
    /// Ends this fabric after a failure. It calls hurry(), and closes the links from which this node
    /// receives, so peers no longer wait to send to it. All links are closed when the last Use ends. The
    /// first failure is kept and returned.
    const FabricFailure& fail(FabricFailure failure);
    [[nodiscard]] bool in_use() const { return !uses_.empty(); }
    [[nodiscard]] bool failed() const { return failure_.has_value(); }
    /// The first failure; absent if there was none.
    [[nodiscard]] const std::optional<FabricFailure>& failure() const { return failure_; }
    /// Sets the function that is called with the first failure, as soon as it is known: before the exchange
    /// that failed has told its peers.
    void on_failure(std::function<void(const FabricFailure&)> listener) { listener_ = std::move(listener); }
    /// Closes every channel; pending and later calls on them throw.
    void close();
    /// After a failure: the channels to which this node sends and which no exchange uses. Only the first
    /// caller receives them; the next call returns none of them.
    [[nodiscard]] std::vector<Channel*> take_idle_outgoing();
    /// Sums over all channels. Any thread may call these functions.
    [[nodiscard]] std::uint64_t sent_bytes() const;
    [[nodiscard]] std::uint64_t received_bytes() const;
    [[nodiscard]] std::uint64_t retransmits() const;

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
    std::function<void(const FabricFailure&)> listener_;

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
    /// The time of the last progress of an exchange for which a thread waits, or the start of that wait.
    [[nodiscard]] std::optional<TimePoint> waited_progress() const;
    /// counts: whether the deadline counts now, for calls whose deadline does not always count.
    void expire(TimePoint cutoff, bool counts) const;
    void expire(const Link& link, TimePoint cutoff) const;

    Fabric& fabric_;
    std::string_view activity_;
    const WaitMark* waited_;
    std::vector<Link*> to_;
    std::vector<Incoming> from_;
};

}  // namespace convoy
