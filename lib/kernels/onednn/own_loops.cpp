#include "kernels/onednn/own_loops.hpp"

namespace convoy::onednn {

bool own_loops_suit(const Planner& planner) {
    const auto isa = static_cast<unsigned>(dnnl_get_effective_cpu_isa());
    const auto has = [isa](unsigned set) { return (isa & set) == set; };
    return planner.compute_type() == DataType::f32 && has(dnnl_cpu_isa_avx2) &&
           !has(dnnl_cpu_isa_avx512_core);
}

}  // namespace convoy::onednn
