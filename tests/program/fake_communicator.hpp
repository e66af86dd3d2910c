#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "program/communicator.hpp"

namespace convoy::test {

/// Writes into a log what it is asked for. Tickets count from 100; an exchange started at once and its data
/// came at once: 64 bytes there, 32 bytes here.
class FakeCommunicator final : public Communicator {
  public:
    explicit FakeCommunicator(std::vector<std::string>& log) : log_(log) {}
    Ticket start(ReduceBuffer buffer, const Exchange& exchange) override {
        const auto* floats = std::get_if<std::span<float>>(&buffer);
        const auto size = floats != nullptr ? floats->size() : std::get<1>(buffer).size();
        log_.push_back(fmt::format("start {}{} by {}", size, floats != nullptr ? "" : " integers",
                                   exchange.options.segment_bytes));
        return Ticket{next_++};
    }
    ExchangeTimes run(ReduceBuffer buffer, const Exchange& exchange) override {
        const auto ticket = start(buffer, exchange);
        log_.back() = "whole: " + log_.back();
        return wait(ticket);
    }
    ExchangeTimes wait(Ticket ticket) override {
        log_.push_back(fmt::format("wait {}", static_cast<std::uint64_t>(ticket)));
        if (lost) throw NodeLostError("rank 1 is gone");
        const auto now = Clock::now();
        const auto before = [&](int us) { return now - std::chrono::microseconds(us); };
        return {.started = before(50),
                .began = before(30),
                .peers_began = before(10),
                .finished = now,
                .sent_bytes = 64,
                .received_bytes = 32};
    }
    std::size_t wait_any(std::span<const Ticket>) override { return 0; }
    void drain() noexcept override {}
    [[nodiscard]] Traffic traffic() const override { return {}; }

    bool lost = false;

  private:
    std::vector<std::string>& log_;
    std::uint64_t next_ = 100;
};

}  // namespace convoy::test
