#pragma once

#include "cluster/worker.hpp"

/// Joins as a worker of an older protocol would; returns the code with which it is refused.
int join_as_old_worker(const convoy::WorkerOptions& options);

/// Joins at the door with a proof for any rank, and a hello that wants one rank; returns the code with which
/// it is refused.
int join_unlike_proof(const convoy::WorkerOptions& options);
