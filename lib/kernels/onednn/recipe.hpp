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

/// A piece of memory of one program: in the arena, or kept by the back-end.
enum class StorageId : std::size_t {};
constexpr std::size_t index(StorageId id) {
    return static_cast<std::size_t>(id);
}

/// Where every storage of a program lies, once memory is planned.
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

/// What a kernel does when it runs.
using Action = std::function<void(const StepContext&)>;

/// A kernel before memory is planned: what it uses, and how it is made once addresses are known.
struct Recipe {
    std::string operator_name;
    std::string name;
    std::vector<StorageId> uses;
    std::size_t scratch_bytes = 0;
    std::function<Action(const Addresses&)> make;
};

/// One operand of a primitive. offset_bytes: of its first element in the storage (a part of the batch).
struct Argument {
    int name = 0;  ///< DNNL_ARG_...
    Desc desc;
    StorageId storage{};
    std::size_t offset_bytes = 0;
};

/// One primitive with its operands, and scratchpad where it wants one.
struct PrimitiveCall {
    dnnl::primitive primitive;
    std::vector<Argument> arguments;
    Desc scratchpad;

    /// Binds the call to memory. The action keeps all it needs and allocates nothing when run.
    [[nodiscard]] Action bind(const Addresses& addresses) const;
};

/// Attributes of every primitive here: the scratchpad is ours; behind it a sum with another tensor and ReLU
/// where wanted.
dnnl::primitive_attr attributes(bool relu = false, const std::optional<Desc>& addend = {});

/// The process-wide CPU engine.
const dnnl::engine& engine();

}  // namespace convoy::onednn
