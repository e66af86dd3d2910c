#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "plan/node_plan.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// The parts of a node's memory.
enum class MemoryPart : std::uint8_t {
    parameters,   ///< values of the network that the node holds
    slots,        ///< the optimizer's state of these parameters
    gradients,    ///< buckets, gradients outside of buckets, residuals and exact sums
    activations,  ///< tensors that live within a step, of the program that needs most
    data,         ///< examples that the node keeps, and batches that it prepares ahead
    copies,       ///< of the tensors that the node hashes, or writes into a file, at one time
};

/// All parts, in the order of tables.
inline constexpr std::array<MemoryPart, 6> all_memory_parts{MemoryPart::parameters, MemoryPart::slots,
                                                            MemoryPart::gradients,  MemoryPart::activations,
                                                            MemoryPart::data,       MemoryPart::copies};

/// The part as a word: "activations".
std::string_view part_name(MemoryPart part);

/// The memory that a node needs at least, in bytes. It is a lower bound: code, threads, sockets, scratchpads,
/// copies in other layouts and gaps between tensors come on top.
class MemoryNeed {
  public:
    /// Adds bytes to a part. Throws SizeError if a sum does not fit 64 bits.
    void add(MemoryPart part, std::int64_t bytes, const std::string& what);

    [[nodiscard]] std::int64_t of(MemoryPart part) const;
    [[nodiscard]] std::int64_t total() const;
    /// The thing that needs the most of all that was added, and its bytes. Empty if nothing was added.
    [[nodiscard]] const std::string& largest() const { return largest_; }
    [[nodiscard]] std::int64_t largest_bytes() const { return largest_bytes_; }
    /// The part that needs the most.
    [[nodiscard]] MemoryPart largest_part() const;

  private:
    std::map<MemoryPart, std::int64_t> bytes_;
    std::string largest_;
    std::int64_t largest_bytes_ = 0;
};

/// The need of all tensors of a node. It follows from the plan alone, and nothing is allocated. With onednn
/// kernels, tensors that are never in use at the same time share memory. With xtensor kernels, all tensors of
/// a program have memory of their own. activation_bytes: of one element, see operator_cost. Throws SizeError
/// if a number does not fit 64 bits.
MemoryNeed memory_need(const NodePlan& node, KernelLibrary kernels, std::int64_t activation_bytes);

}  // namespace convoy
