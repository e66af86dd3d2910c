#pragma once

#include <memory>

#include "program/kernel.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// The compute back-end that a spec asks for. threads: compute threads of this process; layout_threads: the
/// most of any process that reduces with it.
std::unique_ptr<Backend> make_backend(const KernelSpec& spec, int threads, int layout_threads);

}  // namespace convoy
