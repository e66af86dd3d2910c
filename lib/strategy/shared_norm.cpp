#include "strategy/shared_norm.hpp"

#include <string>
#include <utility>

#include "exchange/all_reduce_schedule.hpp"
#include "strategy/messages.hpp"

namespace convoy {

std::vector<Operator> shared_norm(Program& program, const Operator& norm, std::vector<TensorId> own,
                                  std::vector<std::int64_t> group) {
    const std::string name = "gradient_norm.squares";
    const auto message = add_message(program, name, 1);
    const auto algorithm =
        choose_algorithm(static_cast<std::int64_t>(sizeof(float)), static_cast<std::int64_t>(group.size()));
    const Exchange sum{.group = std::move(group), .options = {.algorithm = algorithm}};
    return {{OperatorKind::squared_norm, norm.name, norm.pass, std::move(own), {message.storage}, {}, {}},
            exchange_message(OperatorKind::exchange, name, message, {.exchange = sum}),
            {OperatorKind::square_root, norm.name, norm.pass, {message.storage}, norm.outputs, {}, {}}};
}

}  // namespace convoy
