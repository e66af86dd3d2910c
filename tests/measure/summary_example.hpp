#pragma once

#include "measure/records.hpp"

namespace convoy::test {

/// A summary in which every field has a value of its own.
inline NodeSummary summary_example() {
    return {1,
            2,
            3.5,
            4.5,
            5.5,
            6.5,
            17.5,
            7.5,
            8,
            9.5,
            10.5,
            11,
            12,
            13,
            {-14.5, 15.5, 16.5},
            {17.5, 18.5, 19.5, 20.5, 21.5, 22.5}};
}

}  // namespace convoy::test
