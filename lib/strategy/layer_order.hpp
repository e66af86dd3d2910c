#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "spec/experiment_spec.hpp"

namespace convoy {

/// Some layers that follow each other: those from `first` up to, not including, `end`.
struct LayerRange {
    std::size_t first = 0, end = 0;

    [[nodiscard]] bool contains(std::size_t layer) const { return first <= layer && layer < end; }
};

/// The layers of a network in its order, and the layer of each operator.
class LayerOrder {
  public:
    explicit LayerOrder(const ModelSpec& model);

    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    [[nodiscard]] std::size_t size() const { return names_.size(); }
    /// The position of an operator's layer. The last layer has the loss, and all that belongs to no layer.
    /// name: of an operator or a parameter.
    [[nodiscard]] std::size_t layer_of(const std::string& name) const;

  private:
    std::vector<std::string> names_;
    std::map<std::string, std::size_t> positions_;
};

}  // namespace convoy
