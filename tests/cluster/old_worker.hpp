#pragma once

#include "cluster/worker.hpp"

/// Joins as a worker of an older protocol would; returns the code with which it is refused.
int join_as_old_worker(const convoy::WorkerOptions& options);
