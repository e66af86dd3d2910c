#include "strategy/shared_norm.hpp"

#include <string>
#include <utility>

#include "exchange/all_reduce_schedule.hpp"
#include "strategy/tensor_messages.hpp"

namespace convoy {

SharedSquares shared_squares(Program& program, const std::string& message, const Operator& of,
                             std::vector<TensorId> own, std::vector<std::int64_t> group) {
    auto bucket = add_message(program, message, 1);
    const auto algorithm =
        choose_algorithm(static_cast<std::int64_t>(sizeof(float)), static_cast<std::int64_t>(group.size()));
    const Exchange sum{.group = std::move(group), .options = {.algorithm = algorithm}};
    std::vector<Operator> operators{
        {OperatorKind::squared_norm, of.name, of.pass, std::move(own), {bucket.storage}, {}, {}},
        exchange_message(OperatorKind::exchange, message, bucket, {.exchange = sum})};
    return {std::move(bucket), std::move(operators)};
}

SharedSquares shared_penalty(Program& program, const std::string& message, const Operator& sum,
                             std::optional<TensorId> own, std::vector<std::int64_t> group) {
    std::vector<TensorId> parts;
    if (own) parts.push_back(*own);
    auto shared = shared_squares(program, message, sum, std::move(parts), std::move(group));
    shared.operators.push_back({OperatorKind::scale,
                                sum.name,
                                sum.pass,
                                {shared.message.storage},
                                sum.outputs,
                                ScaleAttributes{1.0},
                                {}});
    return shared;
}

std::vector<Operator> shared_norm(Program& program, const Operator& norm, std::vector<TensorId> own,
                                  std::vector<std::int64_t> group) {
    auto [message, operators] =
        shared_squares(program, "gradient_norm.squares", norm, std::move(own), std::move(group));
    operators.push_back(
        {OperatorKind::square_root, norm.name, norm.pass, {message.storage}, norm.outputs, {}, {}});
    return operators;
}

}  // namespace convoy
