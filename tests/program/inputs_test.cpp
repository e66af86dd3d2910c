#include "program/inputs.hpp"

#include <catch2/catch.hpp>
#include <map>
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
    std::vector<TensorId> outputs;
    for (std::size_t i = 0; i < program.tensors.size(); ++i) outputs.push_back(static_cast<TensorId>(i));
    program.operators.push_back({OperatorKind::dataset, "batch", Pass::input, {}, outputs, {}, {}});
    return program;
}

struct Put {
    std::map<std::size_t, std::vector<float>> tensors;
    int pieces = 0;
};

Put put(const Program& program, const std::vector<float>& values, std::size_t examples) {
    const std::vector<std::int32_t> labels(examples);
    const Batch batch{.values = values, .labels = labels, .examples = {}};
    Put found;
    put_inputs(program, program.operators.front(), batch,
               [&](TensorId id, std::span<const float> piece, std::size_t first) {
                   auto& tensor = found.tensors[index(id)];
                   tensor.resize(static_cast<std::size_t>(program.tensor(id).shape.elements()), -1.0F);
                   std::ranges::copy(piece, tensor.begin() + static_cast<std::ptrdiff_t>(first));
                   ++found.pieces;
               });
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
}
