#include "strategy/shared_norm.hpp"

#include <string>
#include <utility>

#include "exchange/all_reduce_schedule.hpp"

namespace convoy {

std::vector<Operator> shared_norm(Program& program, const Operator& norm, std::vector<TensorId> own,
                                  std::vector<std::int64_t> group) {
    const std::string name = "gradient_norm.squares";
    const auto message = static_cast<TensorId>(program.tensors.size());
    program.tensors.push_back({name, Shape{1}, TensorRole::bucket, false});
    program.buckets.push_back({.storage = message, .tensors = {}, .offsets = {}, .elements = 1});
    const auto algorithm =
        choose_algorithm(static_cast<std::int64_t>(sizeof(float)), static_cast<std::int64_t>(group.size()));
    const ExchangeAttributes sum{
        {.verb = ExchangeVerb::all_reduce, .group = std::move(group), .options = {.algorithm = algorithm}},
        false};
    return {{OperatorKind::squared_norm, norm.name, norm.pass, std::move(own), {message}, {}, {}},
            {OperatorKind::exchange, name, Pass::communication, {message}, {message}, sum, {}},
            {OperatorKind::square_root, norm.name, norm.pass, {message}, norm.outputs, {}, {}}};
}

}  // namespace convoy
