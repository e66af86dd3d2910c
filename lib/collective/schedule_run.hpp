#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>

#include "collective/wire_buffer.hpp"
#include "exchange/exchange_schedule.hpp"
#include "net/control_frames.hpp"
#include "net/fabric.hpp"
#include "net/frame.hpp"
#include "net/signal.hpp"
#include "program/communicator.hpp"

namespace convoy {

/// Runs one rank's part of an exchange. A sender and a receiver each run through their list of the schedule.
/// Each waits for the other where the schedule says so (Send::after_receives, Receive::after_sends).
class ScheduleRun {
  public:
    /// part and waited must outlive this object. waited: see Fabric::use. Throws as Fabric::use.
    ScheduleRun(Fabric& fabric, WireBuffer buffer, const ExchangeSchedule& part, ExchangeOperation operation,
                const WaitMark* waited);

    /// Call it once. Throws as run_exchange.
    boost::asio::awaitable<ExchangeTimes> run();

  private:
    using Task = boost::asio::awaitable<void>;

    [[nodiscard]] FrameHeader header(std::uint64_t sequence, std::uint32_t step, ElementRange range) const;

    Task send_all();
    Task receive_all();
    /// The bytes on the wire of a range that is sent next.
    std::span<const std::byte> payload(ElementRange range);
    Task receive(const Receive& transfer);
    /// Checks a range that was received in place, before it is used or sent on.
    void check(ElementRange range, const Channel& from);
    Task wait_for_sends(std::uint64_t count);
    /// Throws DataError if a frame does not fit the seal behind it. arrived: as in Channel::seal_fits.
    Task check_seal(Channel& from, std::span<const std::byte> header, std::span<const std::byte> payload,
                    std::span<const std::byte> arrived = {});
    Task receive_failure(Channel& from, std::span<const std::byte> header, const FrameHeader& found,
                         std::span<const std::byte> arrived);
    void stop_sender(std::exception_ptr cause);
    const FabricFailure& fail(std::exception_ptr cause);
    Task give_up(std::exception_ptr cause);
    Task tell_peers(FailureNotice notice);

    Fabric& fabric_;
    WireBuffer buffer_;
    const ExchangeSchedule& part_;
    ExchangeOperation operation_;
    Fabric::Use links_;
    ScratchPool::Lease memory_;
    std::span<std::byte> arriving_, leaving_;  // memory for a segment either way
    ExchangeTimes times_;

    std::uint64_t sent_ = 0, received_ = 0;
    Signal more_received_, more_sent_;
    bool sending_ = true, stopping_ = false;
    std::exception_ptr send_error_;
    const Channel* send_failed_to_ = nullptr;
    bool informed_ = false;              // the receiver's error is the cause of the failure
    std::optional<FailureNotice> told_;  // the cause as a peer told it
};

}  // namespace convoy
