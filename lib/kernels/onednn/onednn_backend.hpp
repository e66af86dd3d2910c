#pragma once

#include <memory>

#include "program/kernel.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// The fast back-end, on oneDNN. A memory format is passed from one operator to the next, and is changed only
/// if an operator needs another format. Parameters, their gradients and optimizer slots keep the format that
/// is best for the forward pass. All memory is planned when programs are bound: one arena for tensors that
/// live within a step, one scratchpad for all kernels. A step allocates no memory.
///
/// threads: compute threads of this process (OpenMP). layout_threads: the largest number of threads of any
/// process of the run. oneDNN chooses formats by the number of threads, and all ranks must choose the same
/// formats. bind throws InternalError for an unknown operator.
std::unique_ptr<Backend> make_onednn_backend(const KernelSpec& spec, int threads, int layout_threads);

/// The compute type of make_onednn_backend's programs: the type in the spec, but float32 if the processor has
/// no instructions for bfloat16 (AVX512_BF16).
ComputeType onednn_compute_type(const KernelSpec& spec);

}  // namespace convoy
