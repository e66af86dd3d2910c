#include "graph/operator.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

TEST_CASE("every operator kind has a name, TensorFlow's where it has one") {
    for (auto kind = 0; kind <= static_cast<int>(OperatorKind::exchange); ++kind) {
        CHECK_FALSE(operator_name(static_cast<OperatorKind>(kind)).empty());
    }
    CHECK(operator_name(OperatorKind::conv2d_backprop_filter) == "Conv2DBackpropFilter");
    CHECK(operator_name(OperatorKind::matmul_backprop_input) == "MatMul");
    CHECK(operator_name(OperatorKind::apply_adadelta) == "ResourceApplyAdadelta");
}

TEST_CASE("attributes of another type are a bug") {
    const Operator op{
        .kind = OperatorKind::relu, .name = "r", .inputs = {}, .outputs = {}, .attributes = {}, .folded = {}};
    CHECK_THROWS_AS(op.as<WindowAttributes>(), std::bad_variant_access);
}
