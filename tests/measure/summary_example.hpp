#pragma once

#include "measure/records.hpp"

namespace convoy::test {

/// Every field has a value of its own.
inline Contention contention_example() {
    return {.machine = "box",
            .boot_id = "0a1b2c3d",
            .elapsed_s = 1.5,
            .cpu_s = 2.5,
            .starter_cpu_s = 3.5,
            .waited_s = 4.5,
            .involuntary_switches = 5,
            .machine_busy_s = 6.5,
            .steal_s = 7.5,
            .cores = 8,
            .usable_cores = 9,
            .core_list = CoreList::parse("0-6,10-11"),
            .load_at_start = 10.5,
            .start_mhz = 11.5,
            .end_mhz = 12.5,
            .host = 13,
            .host_cpu = 14.5,
            .retransmits = 15};
}

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
            {17.5, 18.5, 19.5, 20.5, 21.5, 22.5},
            contention_example(),
            {23, 0, 24},
            {{"conv2d_1.weight", 25, 26, 52}},
            27.5};
}

}  // namespace convoy::test
