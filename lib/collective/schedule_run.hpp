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

/// One exchange on one of its ranks: a sender and a receiver, each working
/// off its list of the schedule, neither going further than the other has come where the schedule says so.
class ScheduleRun {
  public:
    /// part and waited must outlive this object; see Fabric::use for the latter. Throws as Fabric::use.
    ScheduleRun(Fabric& fabric, WireBuffer buffer, const ExchangeSchedule& part,
                CollectiveOperation operation, const WaitMark* waited);

    /// To be called once. Throws as run_exchange.
    boost::asio::awaitable<CollectiveTimes> run();

  private:
    using Task = boost::asio::awaitable<void>;

    [[nodiscard]] FrameHeader header(std::uint64_t sequence, std::uint32_t step, ElementRange range) const;

    Task send_all();
    Task receive_all();
    /// What is about to travel, as it travels.
    std::span<const std::byte> payload(ElementRange range);
    Task receive(const Receive& transfer);
    /// What has arrived in its place, before anything is made of it or passed on.
    void check(ElementRange range, const Channel& from);
    Task wait_for_sends(std::uint64_t count);
    Task receive_failure(Channel& from, const FrameHeader& found, std::span<const std::byte> arrived);
    void stop_sender(std::exception_ptr cause);
    const FabricFailure& fail(std::exception_ptr cause);
    Task give_up(std::exception_ptr cause);
    Task tell(Channel& to, const FailureNotice& notice);

    Fabric& fabric_;
    WireBuffer buffer_;
    const ExchangeSchedule& part_;
    CollectiveOperation operation_;
    Fabric::Use links_;
    ScratchPool::Lease memory_;
    std::span<std::byte> arriving_, leaving_;  // memory for a segment either way
    CollectiveTimes times_;

    std::uint64_t sent_ = 0, received_ = 0;
    Signal more_received_, more_sent_;
    bool sending_ = true, stopping_ = false;
    std::exception_ptr send_error_;
    const Channel* send_failed_to_ = nullptr;
    bool informed_ = false;              // the receiver's error is the cause of the failure
    std::optional<FailureNotice> told_;  // the cause as a peer told it
};

}  // namespace convoy
