#pragma once

#include <cstdint>

#include "data/dataset.hpp"
#include "tensor/example_shape.hpp"

namespace convoy {

/// What a plan needs to know of the data, before any of it is read.
struct DataShape {
    ExampleShape example;
    std::int64_t classes = 0;
    SplitSizes sizes;
    std::int64_t example_bytes = 0;  ///< see DatasetInfo; 0: not known
};

}  // namespace convoy
