#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "kernels/onednn/layout.hpp"
#include "kernels/onednn/memory_plan.hpp"

namespace convoy::onednn {

/// Owns the tensors that live longer than a step, by name: parameters, slots, gradients and buckets. The
/// first program that claims a tensor decides its layout; all other programs of the back-end use this layout.
class ParameterStore {
  public:
    /// The layout of a tensor; null if it was not claimed.
    [[nodiscard]] const Layout* layout(const std::string& name) const;
    /// Makes a tensor with this layout, unless it exists. at: its memory in a bucket; null: memory of its
    /// own.
    void claim(const std::string& name, const Layout& layout, std::byte* at = nullptr);
    /// The memory of a claimed tensor.
    [[nodiscard]] std::byte* data(const std::string& name) const;

    /// Copies values in plain order into a tensor (write), or out of it (read).
    void write(const std::string& name, std::span<const float> values);
    [[nodiscard]] std::vector<float> read(const std::string& name) const;

    /// Names and layouts of these tensors, as text; "plain" if all of them are plain.
    [[nodiscard]] std::string text(std::span<const std::string> names) const;

  private:
    struct Entry {
        Layout layout;
        AlignedBuffer own;
        std::byte* data = nullptr;
    };
    [[nodiscard]] const Entry& entry(const std::string& name) const;
    std::map<std::string, Entry> entries_;
};

/// Copies a tensor between a layout and plain order.
void from_plain(std::span<const float> values, const Layout& layout, std::byte* data);
std::vector<float> to_plain(const Layout& layout, const std::byte* data);

}  // namespace convoy::onednn
