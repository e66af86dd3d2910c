#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/onednn/layout.hpp"
#include "program/kernel.hpp"

namespace convoy::onednn {

/// A piece of memory of one program: in the arena, or owned by the back-end.
enum class StorageId : std::size_t {};
constexpr std::size_t index(StorageId id) {
    return static_cast<std::size_t>(id);
}

/// The address of each storage of a program, after memory is planned.
class Addresses {
  public:
    Addresses(std::vector<std::byte*> storages, std::byte* scratch)
        : storages_(std::move(storages)), scratch_(scratch) {}
    [[nodiscard]] std::byte* of(StorageId id) const { return storages_.at(index(id)); }
    [[nodiscard]] std::byte* scratch() const { return scratch_; }
    template <typename T>
    [[nodiscard]] std::span<T> span(StorageId id, std::int64_t count) const {
        return {reinterpret_cast<T*>(of(id)), static_cast<std::size_t>(count)};
    }

  private:
    std::vector<std::byte*> storages_;
    std::byte* scratch_;
};

/// The function that a kernel runs.
using Action = std::function<void(const StepContext&)>;

/// A kernel before memory is planned: the storages that it uses, and a function that makes the kernel from
/// their addresses.
struct Recipe {
    std::string operator_name;
    std::string name;
    std::vector<StorageId> uses;
    std::size_t scratch_bytes = 0;
    std::function<Action(const Addresses&)> make;
};

/// One operand of a primitive. offset_bytes: place of its first element in the storage, not 0 for a part of
/// the batch.
struct Argument {
    int name = 0;  ///< DNNL_ARG_...
    Desc desc;
    StorageId storage{};
    std::size_t offset_bytes = 0;
};

/// One primitive with its operands, and its scratchpad if it needs one.
struct PrimitiveCall {
    dnnl::primitive primitive;
    std::vector<Argument> arguments;
    Desc scratchpad;

    /// Binds the call to memory. The result owns all that it needs, and allocates no memory when it runs.
    [[nodiscard]] Action bind(const Addresses& addresses) const;
};

/// The attributes of all primitives here: the scratchpad is given by the caller; a sum with another tensor
/// and ReLU may follow.
dnnl::primitive_attr attributes(bool relu = false, const std::optional<Desc>& addend = {});

/// The process-wide CPU engine.
const dnnl::engine& engine();

}  // namespace convoy::onednn
