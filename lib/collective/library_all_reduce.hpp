#pragma once

#include <span>

namespace convoy {

/// The all-reduce of another library, between the processes of a run. One thread makes all calls.
class LibraryAllReduce {
  public:
    LibraryAllReduce() = default;
    LibraryAllReduce(const LibraryAllReduce&) = delete;
    LibraryAllReduce& operator=(const LibraryAllReduce&) = delete;
    LibraryAllReduce(LibraryAllReduce&&) = delete;
    LibraryAllReduce& operator=(LibraryAllReduce&&) = delete;
    virtual ~LibraryAllReduce() = default;

    /// Connects the processes. It returns when all of them have called it. Throws ClusterError if the library
    /// cannot be used, DisagreementError if its processes are not the nodes of the run.
    virtual void begin() = 0;
    /// Sums the values of all ranks, in place. All ranks call it for the same sums in the same order. It may
    /// never return if a rank is lost. Throws NodeLostError if the library reports a failure.
    virtual void sum(std::span<float> values) = 0;
    /// Leaves the other processes, behind the last sum. Not called after a failure.
    virtual void end() = 0;
};

}  // namespace convoy
