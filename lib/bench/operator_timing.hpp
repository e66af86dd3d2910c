#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/operator_bench.hpp"
#include "data/dataset.hpp"
#include "measure/records.hpp"
#include "program/program.hpp"

namespace convoy {

/// Trains for some steps in this process, alone, and returns what each operator took in the steps that count,
/// the longest first. Throws as a run does.
std::vector<OperatorRecord> time_operators(const OperatorBench& bench,
                                           const std::filesystem::path& data_folder);

/// The program of one of these steps.
Program timed_program(const OperatorBench& bench, const DatasetInfo& info);

/// Kinds of operators that have a speed of their own.
enum class OperatorClass : std::uint8_t { convolution, filter_gradient, input_gradient, matmul, other };

/// The operators of one row of the operator tables, in one step.
struct OperatorWork {
    std::int64_t flops = 0;  ///< of products, see product_flops
    std::int64_t operators = 0;
    OperatorClass kind = OperatorClass::other;
};

/// By name of the operator and its own name. Several operators may have one row, as a layer's products
/// forward and backward.
std::map<std::pair<std::string, std::string>, OperatorWork> work_of(const Program& program);

}  // namespace convoy
