#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "kernels/onednn/layout.hpp"
#include "kernels/onednn/memory_plan.hpp"

namespace convoy::onednn {

/// What outlives a step: parameters, slots, gradients and buckets, by name. The first program to name one
/// decides its layout; all others of the back-end take it as it is.
class ParameterStore {
  public:
    /// The layout of a tensor that was claimed, else null.
    [[nodiscard]] const Layout* layout(const std::string& name) const;
    /// Makes a tensor of this layout unless it is there. at: where it lies (in a bucket); null: memory of its
    /// own.
    void claim(const std::string& name, const Layout& layout, std::byte* at = nullptr);
    /// Memory of a tensor that was claimed.
    [[nodiscard]] std::byte* data(const std::string& name) const;

    /// Copies values in plain order into a tensor, or out of it.
    void write(const std::string& name, std::span<const float> values);
    [[nodiscard]] std::vector<float> read(const std::string& name) const;

    /// Names and layouts of these tensors, as text; "plain" where all of them are.
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
