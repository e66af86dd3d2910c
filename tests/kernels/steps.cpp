#include "kernels/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/random.hpp"

namespace convoy::test {

std::vector<float> random_values(std::int64_t elements, std::uint32_t key) {
    const RandomStream random(7, RandomPurpose::synthetic_data, key);
    std::vector<float> values(static_cast<std::size_t>(elements));
    for (std::uint32_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(2.0 * random.uniform(0, i) - 1.0);
    }
    return values;
}

OwnedBatch random_batch(std::int64_t examples, const ExampleShape& shape, std::int64_t classes,
                        std::uint32_t key) {
    const RandomStream random(8, RandomPurpose::synthetic_data, key);
    OwnedBatch batch{.values = random_values(examples * shape.elements(), key),
                     .labels = {},
                     .examples = {},
                     .global_examples = examples};
    for (std::uint32_t n = 0; n < static_cast<std::uint32_t>(examples); ++n) {
        batch.labels.push_back(
            static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(classes), 0, n)));
        batch.examples.push_back(100 + 3 * n);
    }
    return batch;
}

void feed_all(BoundProgram& program, const OwnedBatch& batch) {
    const auto& operators = program.program().operators;
    for (std::size_t i = 0; i < operators.size(); ++i) {
        const auto& op = operators[i];
        if (op.kind == OperatorKind::dataset && !reads(op, ReadThing::numbers)) program.feed(i, batch.view());
    }
}

void run_step(BoundProgram& program, const OwnedBatch& batch, std::int64_t step) {
    feed_all(program, batch);
    const StepContext context{.seed = 5,
                              .epoch = 2,
                              .step = step,
                              .examples = batch.examples,
                              .global_examples = batch.global_examples};
    for (std::size_t i = 0; i < program.program().operators.size(); ++i) {
        for (auto& bound : program.kernels(i)) bound.kernel->run(context);
    }
}

void write_random_parameters(Backend& backend, const Program& program) {
    std::uint32_t key = 1000;
    for (const auto& parameter : program.parameters) {
        const auto& info = program.tensor(parameter.value);
        auto values = random_values(info.shape.elements(), key++);
        const auto fans = std::max<std::int64_t>(parameter.fan_in + parameter.fan_out, 24);
        if (info.name.ends_with(".moving_variance")) {
            for (auto& value : values) value = 1.5F + value;
        }
        for (auto& value : values) value *= static_cast<float>(std::sqrt(6.0 / static_cast<double>(fans)));
        backend.write(info.name, values);
    }
    write_slot_starts(backend, program);
}

void write_slot_starts(Backend& backend, const Program& program) {
    for (const auto& parameter : program.parameters) {
        for (const auto slot : parameter.slots) {
            const auto& info = program.tensor(slot);
            const std::vector<float> values(static_cast<std::size_t>(info.shape.elements()),
                                            static_cast<float>(parameter.slot_start));
            backend.write(info.name, values);
        }
    }
}

TensorId find_tensor(const Program& program, const std::string& name) {
    const auto found = std::ranges::find(program.tensors, name, &TensorInfo::name);
    if (found == program.tensors.end())
        throw InternalError(fmt::format("the program has no tensor {}", name));
    return static_cast<TensorId>(found - program.tensors.begin());
}

}  // namespace convoy::test
