#pragma once

#include <cstdint>
#include <memory>

#include "collective/library_all_reduce.hpp"

namespace convoy {

/// Whether this program was built with Open MPI. CMake decides it: if it finds MPI, mpi_all_reduce.cpp is
/// compiled, else no_mpi_all_reduce.cpp.
bool has_mpi();

/// Open MPI's MPI_Allreduce of floats, over a communicator of its own. The calling process, or its parent,
/// must have been started by mpirun. rank, world_size: of this node; MPI must give it the same rank. It may
/// be used once in a process, since MPI cannot begin again. Throws ClusterError if !has_mpi().
///
/// MPI_Init_thread is called with MPI_THREAD_FUNNELED: one thread makes all calls, beside the thread that
/// computes. A failure is returned as an error and never aborts the processes of the job, so that a node ends
/// with convoy's exit code.
std::unique_ptr<LibraryAllReduce> make_mpi_all_reduce(std::int64_t rank, std::int64_t world_size);

}  // namespace convoy
