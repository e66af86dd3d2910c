#pragma once

#include <memory>

#include "program/kernel.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// The compute back-end that a spec asks for. threads: compute threads of this process.
std::unique_ptr<Backend> make_backend(const KernelSpec& spec, int threads);

}  // namespace convoy
