#include "strategy/partial_gradients.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace convoy {

PartialGradients::PartialGradients(Program& program, std::string suffix)
    : program_(program), suffix_(std::move(suffix)) {}

void PartialGradients::append(Operator op, std::int64_t part) {
    std::vector<Operator> sums;
    for (auto& id : op.outputs) {
        const bool gradient = op.pass == Pass::backward && program_.tensor(id).role == TensorRole::gradient;
        if (!gradient || part == 0) continue;
        const auto sum = std::exchange(id, of_one_part(id));
        sums.push_back({OperatorKind::assign_add, op.name, op.pass, {sum, id}, {sum}, {}, {}});
    }
    program_.operators.push_back(std::move(op));
    std::ranges::move(sums, std::back_inserter(program_.operators));
}

TensorId PartialGradients::of_one_part(TensorId sum) {
    const auto [found, is_new] = of_one_part_.try_emplace(sum);
    if (!is_new) return found->second;
    auto tensor = program_.tensor(sum);
    tensor.name += suffix_;
    program_.tensors.push_back(std::move(tensor));
    return found->second = static_cast<TensorId>(program_.tensors.size() - 1);
}

}  // namespace convoy
