#pragma once

#include <memory>
#include <optional>
#include <string>

#include "program/kernel.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// The compute back-end that a spec asks for. threads: compute threads of this process; layout_threads: the
/// most of any process that reduces with it.
std::unique_ptr<Backend> make_backend(const KernelSpec& spec, int threads, int layout_threads);

/// In one line, what a spec asks of the kernels that this machine does not have, and what they do instead;
/// absent where they do as asked.
std::optional<std::string> unmet_wish(const KernelSpec& spec);

}  // namespace convoy
