#pragma once

#include "base/error.hpp"
#include "program/communicator.hpp"

namespace convoy {

/// The communicator of a run with one rank. It refuses all exchanges.
class NoCommunicator final : public Communicator {
  public:
    Ticket start(ReduceBuffer, const Exchange&) override { throw InternalError("one node has no peers"); }
    std::size_t wait_any(std::span<const Ticket>) override { throw InternalError("one node has no peers"); }
    ExchangeTimes wait(Ticket) override { throw InternalError("one node has no peers"); }
    void drain() noexcept override {}
    [[nodiscard]] Traffic traffic() const override { return {}; }
};

}  // namespace convoy
