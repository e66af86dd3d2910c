#include "program/inputs.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

using namespace convoy;

namespace {

/// A program that takes so many inputs, of shapes N,1,2 and N,3,1, and labels.
Program program_of(std::size_t inputs, std::int64_t batch) {
    Program program;
    program.batch = batch;
    program.tensors = {{"a", {batch, 1, 2}, TensorRole::input, true}};
    if (inputs == 2) program.tensors.push_back({"b", {batch, 3, 1}, TensorRole::input, true});
    program.tensors.push_back({"labels", {batch}, TensorRole::input, true});
    const auto add = [&](const DatasetAttributes& attributes) {
        const auto id = static_cast<TensorId>(program.operators.size());
        program.operators.push_back({OperatorKind::dataset, "batch", Pass::input, {}, {id}, attributes, {}});
    };
    const std::int64_t row = inputs == 2 ? 5 : 2;
    add({.thing = ReadThing::values, .first = 0, .row = row});
    if (inputs == 2) add({.thing = ReadThing::values, .first = 2, .row = row});
    add({.thing = ReadThing::labels});
    return program;
}

struct Put {
    std::vector<std::vector<float>> tensors;
    int pieces = 0;
};

Put put(const Program& program, const std::vector<float>& values, std::size_t examples) {
    const std::vector<std::uint32_t> numbers(examples);
    const Batch batch{.values = values, .labels = {}, .examples = numbers};
    Put found;
    for (const auto& op : program.operators) {
        if (!reads(op, ReadThing::values)) continue;
        auto& tensor = found.tensors.emplace_back();
        tensor.resize(static_cast<std::size_t>(program.tensor(op.outputs[0]).shape.elements()), -1.0F);
        put_input(program, op, batch, [&](std::span<const float> piece, std::size_t first) {
            std::ranges::copy(piece, tensor.begin() + static_cast<std::ptrdiff_t>(first));
            ++found.pieces;
        });
    }
    return found;
}

std::vector<float> counted(std::size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 0.0F);
    return values;
}

}  // namespace

TEST_CASE("one input is one piece") {
    const auto found = put(program_of(1, 3), counted(6), 3);
    CHECK(found.pieces == 1);
    CHECK(found.tensors.at(0) == counted(6));
}

TEST_CASE("inputs that lie side by side come apart") {
    const auto found = put(program_of(2, 2), counted(10), 2);
    CHECK(found.tensors.at(0) == std::vector<float>{0, 1, 5, 6});
    CHECK(found.tensors.at(1) == std::vector<float>{2, 3, 4, 7, 8, 9});
    CHECK(put(program_of(2, 0), {}, 0).pieces == 0);
}

TEST_CASE("a batch of another size is refused before anything is put anywhere") {
    CHECK_THROWS_AS(put(program_of(2, 2), counted(8), 2), InternalError);
    CHECK_THROWS_AS(put(program_of(2, 2), counted(10), 1), InternalError);
    CHECK_THROWS_AS(put(program_of(1, 2), counted(10), 2), InternalError);
    CHECK_THROWS_AS(put(program_of(1, 2), {}, 2), InternalError);
}

TEST_CASE("labels are as many as the program has") {
    const auto program = program_of(1, 2);
    const std::vector<std::uint32_t> numbers{4, 7};
    const std::vector<std::int32_t> labels{1, 0};
    const auto found = labels_for(program, program.operators.back(), {.labels = labels, .examples = numbers});
    CHECK(std::ranges::equal(found, labels));
    CHECK_THROWS_AS(labels_for(program, program.operators.back(), {.examples = numbers}), InternalError);
    const Batch shorter{.labels = labels, .examples = std::span(numbers).first(1)};
    CHECK_THROWS_AS(labels_for(program, program.operators.back(), shorter), InternalError);
}
