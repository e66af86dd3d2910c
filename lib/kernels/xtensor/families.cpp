#include "kernels/xtensor/families.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "kernels/xtensor/fused.hpp"

namespace convoy::plain {
namespace {

template <typename Scalar>
Run bind_plain_operator(const Operator& op, const Memory<Scalar>& memory) {
    for (const auto bind :
         {bind_convolution<Scalar>, bind_dense<Scalar>, bind_activation<Scalar>, bind_batch_norm<Scalar>,
          bind_pooling<Scalar>, bind_dropout<Scalar>, bind_elementwise<Scalar>, bind_loss<Scalar>,
          bind_clipping<Scalar>, bind_update<Scalar>}) {
        if (auto run = bind(op, memory)) return run;
    }
    throw InternalError(fmt::format("{} {} is nothing to compute", operator_name(op.kind), op.name));
}

}  // namespace

template <typename Scalar>
std::vector<Run> bind_operator(const Operator& op, const Memory<Scalar>& memory) {
    std::vector<Run> runs;
    for (const auto& part : unfold(op)) runs.push_back(bind_plain_operator(part, memory));
    return runs;
}

template std::vector<Run> bind_operator(const Operator&, const Memory<float>&);
template std::vector<Run> bind_operator(const Operator&, const Memory<double>&);

}  // namespace convoy::plain
