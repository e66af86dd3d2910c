#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "net/fabric.hpp"
#include "spec/all_reduce_spec.hpp"

/// The links between the members of a simulated run, over which they sum with the code of real runs. Links
/// are in memory. Each call on a link waits for a turn first, which the run gives in its own time.
class SimulatedLinks {
  public:
    /// What the run decides, and what it is told. None of these may destroy the links.
    struct Events {
        /// A rank wants to send or receive on its link with a peer: go_on lets it. The run may keep go_on for
        /// longer than the links live. If the run never calls go_on, the rank waits until its link closes.
        std::function<void(std::int64_t rank, std::int64_t peer, std::function<void()> go_on)> wants_turn;
        std::function<void(std::int64_t rank)> moved;  ///< it has sent or received
        /// It cannot send, or its sum fails: it waits for a peer to tell the cause, or tells its peers, until
        /// its links close.
        std::function<void(std::int64_t rank)> failed;
        /// Its part of a sum is over. sum: of the values of all ranks, infinite if elements of the tensor
        /// have other sums; without meaning if the code is not done.
        std::function<void(std::int64_t rank, float sum, convoy::ExitCode code)> ended;
    };

    struct Options {
        std::int64_t ranks = 1;
        convoy::AllReduceAlgorithm algorithm = convoy::AllReduceAlgorithm::ring;
        std::size_t elements = 1;         ///< of a tensor
        std::size_t link_bytes = 64;      ///< that are sent and not yet received, at most
        std::int64_t segment_bytes = 64;  ///< of a block, at most
    };

    SimulatedLinks(Options options, Events events);
    SimulatedLinks(const SimulatedLinks&) = delete;
    SimulatedLinks& operator=(const SimulatedLinks&) = delete;
    SimulatedLinks(SimulatedLinks&&) = delete;
    SimulatedLinks& operator=(SimulatedLinks&&) = delete;
    ~SimulatedLinks();

    /// Closes all links. Sums that are under way end. Returns the number of those that do not, which must be
    /// 0.
    int close_all();

    /// Begins a rank's part of the next sum, to which it adds value. Thirteen times the sum must be exact in
    /// float.
    void sum(std::int64_t rank, float value);
    /// Closes the links of a rank, as the end of its process does.
    void close(std::int64_t rank);
    /// Does all that can be done before somebody is given a turn.
    void poll();

  private:
    boost::asio::io_context io_{1};
    Options options_;
    Events events_;
    std::vector<std::unique_ptr<convoy::Fabric>> fabrics_;
    int under_way_ = 0;
};
