#pragma once

#include <memory>
#include <optional>
#include <string>

#include "program/kernel.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// Makes the compute back-end of a spec. threads: compute threads of this process. layout_threads: the
/// largest number of compute threads of any process of the run.
std::unique_ptr<Backend> make_backend(const KernelSpec& spec, int threads, int layout_threads);

/// A warning of one line: the features of the kernels that the spec asks for and this machine does not have,
/// and what the kernels do instead. Absent if the machine has all of them.
std::optional<std::string> unmet_wish(const KernelSpec& spec);

}  // namespace convoy
