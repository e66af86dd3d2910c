#include "plan/memory_need.hpp"

#include <catch2/catch.hpp>

#include "base/checked.hpp"

using namespace convoy;

namespace {

constexpr auto activation = TensorRole::activation;

Operator step(OperatorKind kind, const std::string& name, std::vector<TensorId> inputs, TensorId output) {
    return {kind, name, Pass::forward, std::move(inputs), {output}, {}, {}};
}

/// x (100 floats) -> a (300) -> b (a reshaped) -> c (50) -> d (10), which nothing reads.
Program chain() {
    Program program;
    program.tensors = {{"x", {1, 100}, TensorRole::input, true},
                       {"a", {300}, activation, true},
                       {"b", {3, 100}, activation, true},
                       {"c", {50}, activation, true},
                       {"d", {10}, activation, true},
                       {"never used", {5000}, activation, true}};
    const auto id = [](int i) { return static_cast<TensorId>(i); };
    program.operators = {{OperatorKind::dataset, "batch", Pass::input, {}, {id(0)}, DatasetAttributes{}, {}},
                         step(OperatorKind::relu, "first", {id(0)}, id(1)),
                         step(OperatorKind::reshape, "flat", {id(1)}, id(2)),
                         step(OperatorKind::relu, "second", {id(2)}, id(3)),
                         step(OperatorKind::relu, "third", {id(3)}, id(4))};
    return program;
}

}  // namespace

TEST_CASE("activations share memory where they are never in use together") {
    NodePlan node;
    node.programs = {chain()};
    const auto need = memory_need(node, KernelLibrary::onednn, 4);
    CHECK(need.of(MemoryPart::activations) == 4 * (100 + 300));
    CHECK(need.total() == 1600);
    CHECK(need.largest() == "a");
    CHECK(need.largest_bytes() == 1200);
    CHECK(need.largest_part() == MemoryPart::activations);
    CHECK(memory_need(node, KernelLibrary::onednn, 2).total() == 2 * (100 + 300));
    CHECK(memory_need(node, KernelLibrary::xtensor, 4).total() == 4 * (100 + 300 + 50 + 10));
}

TEST_CASE("the program that needs most counts, since programs share their arena") {
    NodePlan node;
    node.programs = {chain(), chain()};
    for (auto& tensor : node.programs[1].tensors) tensor.shape = Shape{1, tensor.shape.elements()};
    node.programs[1].tensors[1].shape = Shape{1000};
    CHECK(memory_need(node, KernelLibrary::onednn, 4).total() == 4 * (100 + 1000));
}

TEST_CASE("a node needs the parts of parameters that it holds, with their slots, and buckets once") {
    NodePlan node;
    const TensorInfo weight{"d.weight", {10, 20}, TensorRole::parameter, false};
    HeldParameter held{.value = weight, .description = {}, .slots = {weight, weight}};
    node.parameters = {held};
    CHECK(memory_need(node, KernelLibrary::onednn, 4).total() == 0);
    node.parameters[0].part = TensorSlice{.axis = 0, .first = 2, .count = 5};
    Program program;
    program.tensors = {{"bucket_0", {112}, TensorRole::bucket, false}};
    program.buckets = {{.storage = TensorId{0}, .tensors = {}, .offsets = {}, .elements = 112}};
    node.programs = {program, program};
    auto need = memory_need(node, KernelLibrary::onednn, 4);
    CHECK(need.of(MemoryPart::parameters) == 4 * 100);
    CHECK(need.of(MemoryPart::slots) == 4 * 200);
    CHECK(need.of(MemoryPart::gradients) == 4 * 112);
    CHECK(need.largest_part() == MemoryPart::slots);
    node.programs[0].kind = ProgramKind::gradients;
    need = memory_need(node, KernelLibrary::onednn, 4);
    CHECK(need.of(MemoryPart::gradients) == 12 * 112);
}

TEST_CASE("needs that do not fit 64 bits are an error") {
    MemoryNeed need;
    need.add(MemoryPart::data, std::int64_t{1} << 62, "examples");
    CHECK_THROWS_AS(need.add(MemoryPart::data, std::int64_t{1} << 62, "examples"), SizeError);
    need.add(MemoryPart::slots, std::int64_t{1} << 62, "slots");
    CHECK_THROWS_AS(need.total(), SizeError);
}
