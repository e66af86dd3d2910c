#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collective/fabric_communicator.hpp"

namespace convoy {

/// A Communicator over several fabrics, one for each connection between two peers. Collectives on one
/// connection run one after another; those on different ones share the links and do not wait for each other,
/// so that a small one need not stay behind a large one. What fails on one ends all, with the same error.
class Connections : public Communicator {
  public:
    /// fabrics: by connection, at least one. io runs the executor of them all and must outlive this object.
    Connections(IoThread& io, std::vector<std::unique_ptr<Fabric>> fabrics);
    Connections(const Connections&) = delete;
    Connections& operator=(const Connections&) = delete;
    Connections(Connections&&) = delete;
    Connections& operator=(Connections&&) = delete;
    ~Connections() override;

    /// On exchange.options.connection; throws InternalError where there is none.
    Ticket start(ReduceBuffer buffer, const Exchange& exchange) override;
    CollectiveTimes run(ReduceBuffer buffer, const Exchange& exchange) override;
    CollectiveTimes wait(Ticket ticket) override;
    void drain() noexcept override;
    [[nodiscard]] Traffic traffic() const override;

  private:
    FabricCommunicator& connection(std::int64_t index);
    void end_others(std::size_t failed, const std::exception_ptr& error);

    IoThread& io_;
    std::vector<std::unique_ptr<FabricCommunicator>> all_;
};

}  // namespace convoy
