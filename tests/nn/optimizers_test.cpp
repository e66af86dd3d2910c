#include "nn/optimizers.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "nn/network.hpp"

using namespace convoy;

namespace {

struct Expectation {
    OptimizerSpec optimizer;
    OperatorKind kind;
    std::vector<std::string> slots;
    double start;
};

}  // namespace

TEST_CASE("every optimizer keeps its own state for every parameter") {
    const auto expected = GENERATE(from_range(std::vector<Expectation>{
        {Sgd{.learning_rate = 0.1}, OperatorKind::apply_gradient_descent, {}, 0.0},
        {Sgd{.learning_rate = 0.1, .momentum = 0.5}, OperatorKind::apply_momentum, {"velocity"}, 0.0},
        {Adagrad{.initial_accumulator = 0.3}, OperatorKind::apply_adagrad, {"accumulator"}, 0.3},
        {Adadelta{}, OperatorKind::apply_adadelta, {"accumulator", "accumulated_update"}, 0.0},
        {Adam{}, OperatorKind::apply_adam, {"first_moment", "second_moment"}, 0.0}}));
    const ModelSpec model{"inline", {4}, {{"a", DenseLayer{5}}, {"b", DenseLayer{3}}}};
    const auto graph = training_graph(model, expected.optimizer, {4}, 3);
    for (const auto& parameter : graph.parameters) {
        const auto& value = graph.tensor(parameter.value);
        REQUIRE(parameter.slots.size() == expected.slots.size());
        CHECK(parameter.slot_start == expected.start);
        for (std::size_t i = 0; i < parameter.slots.size(); ++i) {
            const auto& slot = graph.tensor(parameter.slots[i]);
            CHECK(slot ==
                  TensorInfo{value.name + "/" + expected.slots[i], value.shape, TensorRole::slot, false});
        }
    }
    const auto updates = std::ranges::count(graph.operators, Pass::update, &Operator::pass);
    CHECK(updates == 4);
    CHECK(graph.operators.back().kind == expected.kind);
    CHECK(graph.operators.back().as<UpdateAttributes>().optimizer == expected.optimizer);
}
