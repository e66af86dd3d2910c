#pragma once

#include <memory>

#include "program/kernel.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// The fast back-end, on oneDNN. Memory formats spread from one operator to the next and are changed only
/// where an operator needs another; parameters, their gradients and optimizer slots keep the format that the
/// forward pass likes best. All memory is planned when programs are bound: one arena for what lives within a
/// step, one scratchpad for all kernels; a step allocates nothing. threads: compute threads of this process
/// (OpenMP). layout_threads: the most of any process that reduces with this one; oneDNN likes other formats
/// for other numbers of threads, and all ranks must choose the same. bind throws InternalError for an
/// operator that it does not know.
std::unique_ptr<Backend> make_onednn_backend(const KernelSpec& spec, int threads, int layout_threads);

/// In what make_onednn_backend's programs compute: as the spec says, but float32 where the processor has no
/// instructions for bfloat16 (AVX512_BF16).
ComputeType onednn_compute_type(const KernelSpec& spec);

}  // namespace convoy
