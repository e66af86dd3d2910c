#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/kernel.hpp"
#include "tensor/example_shape.hpp"

namespace convoy::test {

/// A batch with the memory that it refers to.
struct OwnedBatch {
    std::vector<float> values;
    std::vector<std::int32_t> labels;
    std::vector<std::uint32_t> examples;
    std::int64_t global_examples = 0;

    [[nodiscard]] Batch view() const { return {values, labels, examples, global_examples}; }
};

/// Values in [-1, 1), different for every key.
std::vector<float> random_values(std::int64_t elements, std::uint32_t key);

/// A batch of random examples and labels below classes.
OwnedBatch random_batch(std::int64_t examples, const ExampleShape& shape, std::int64_t classes,
                        std::uint32_t key);

/// Feeds the values and the labels of the batch, as far as the program reads them.
void feed_all(BoundProgram& program, const OwnedBatch& batch);

/// Feeds the batch and runs every kernel once, in order; exchanges are left out.
void run_step(BoundProgram& program, const OwnedBatch& batch, std::int64_t step = 0);

/// Gives every parameter random values of the size that Glorot's have (biases too), and every slot its start.
void write_random_parameters(Backend& backend, const Program& program);

/// Sets every slot to the value that it starts from.
void write_slot_starts(Backend& backend, const Program& program);

/// The tensor's id. Throws InternalError for a name that there is not.
TensorId find_tensor(const Program& program, const std::string& name);

}  // namespace convoy::test
