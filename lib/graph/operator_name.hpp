#pragma once

#include <string>

namespace convoy {

/// The layer of an operator, whose name is that of its layer or of one of its parameters, LAYER.weight.
inline std::string layer_of_operator(const std::string& name) {
    return name.substr(0, name.find('.'));
}

}  // namespace convoy
