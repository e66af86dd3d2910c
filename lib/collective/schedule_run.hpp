#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>

#include "collective/wire_buffer.hpp"
#include "exchange/schedule.hpp"
#include "net/control_frames.hpp"
#include "net/fabric.hpp"
#include "net/frame.hpp"
#include "net/signal.hpp"
#include "program/communicator.hpp"

namespace convoy {

/// One sum over all ranks, or one gathering from all, on one of them: a sender and a receiver, each working
/// off its list of the schedule, neither going further than the other has come where the schedule says so.
class ScheduleRun {
  public:
    ScheduleRun(Fabric& fabric, WireBuffer buffer, Schedule schedule);

    /// To be called once. Throws as all_reduce.
    boost::asio::awaitable<CollectiveTimes> run();

  private:
    using Task = boost::asio::awaitable<void>;

    [[nodiscard]] FrameHeader header(std::uint32_t step, ElementRange range) const;

    Task send_all();
    Task receive_all();
    /// What is about to travel, as it travels.
    std::span<const std::byte> payload(ElementRange range);
    Task receive(const Receive& transfer);
    /// What has arrived in its place, before anything is made of it or passed on.
    void check(ElementRange range, const Channel& from);
    Task wait_for_sends(std::uint64_t count);
    Task receive_failure(Channel& from, const FrameHeader& found, std::span<const std::byte> arrived);
    void stop_sender();
    Task give_up(std::exception_ptr cause);
    Task tell(Channel& to, FailureNotice notice);

    Fabric& fabric_;
    WireBuffer buffer_;
    Schedule schedule_;
    std::span<std::byte> arriving_, leaving_;  // working memory for a segment either way
    std::uint64_t sequence_;
    Fabric::Watch watch_;
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
