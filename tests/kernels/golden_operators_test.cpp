#include <catch2/catch.hpp>

#include "kernels/backends.hpp"
#include "kernels/comparison.hpp"
#include "kernels/golden.hpp"
#include "kernels/operator_cases.hpp"
#include "kernels/steps.hpp"

/// Single operators, forward and backward, against the same computed by PyTorch (golden/make_golden.py).
using namespace convoy;
using namespace convoy::test;

namespace {

/// Cases whose expected results are golden/FAMILY_[PREFIX_]RESULT.npy.
struct GoldenFamily {
    std::string name;
    std::string prefix;
    std::vector<OperatorCase> cases;
};

std::vector<GoldenFamily> families() {
    const WindowCase pool_valid{.image = {3, 6, 8}, .size = 2, .stride = 2, .padding = Padding::valid};
    const WindowCase pool_same{.image = {2, 7, 5}, .size = 3, .stride = 2, .padding = Padding::same};
    const WindowCase valid{{2, 6, 7}, 3, 3, 1, Padding::valid};
    const WindowCase strided{{3, 8, 5}, 4, 3, 2, Padding::same};
    const WindowCase even{{1, 7, 6}, 5, 4, 3, Padding::same};
    const WindowCase pointwise{{17, 3, 4}, 18, 1, 1, Padding::valid};
    const WindowCase grouped{{4, 6, 5}, 6, 3, 1, Padding::same, 2};
    const WindowCase depthwise{{5, 7, 6}, 5, 3, 2, Padding::same, 5};
    const WindowCase multiplied{{3, 5, 5}, 6, 2, 1, Padding::valid, 3};
    const WindowCase blocked{{16, 5, 5}, 16, 3, 1, Padding::same, 16};
    const WindowCase sequence{
        .image = {3, 1, 11}, .filters = 4, .size = 4, .stride = 2, .padding = Padding::same, .axes = 1};
    const WindowCase grouped_sequence{.image = {4, 1, 9}, .filters = 6, .size = 3, .groups = 2, .axes = 1};
    const WindowCase pool_sequence{
        .image = {3, 1, 10}, .size = 3, .stride = 2, .padding = Padding::same, .axes = 1};
    return {{"conv_sequence", "", convolution_cases("conv_sequence", 2, sequence)},
            {"conv_grouped_sequence", "", convolution_cases("conv_grouped_sequence", 2, grouped_sequence)},
            {"pool_sequence", "max_", max_pool_cases("pool_sequence", 2, pool_sequence)},
            {"pool_sequence", "average_", average_pool_cases("pool_sequence", 2, pool_sequence)},
            {"conv_grouped", "", convolution_cases("conv_grouped", 2, grouped)},
            {"conv_depthwise", "", convolution_cases("conv_depthwise", 3, depthwise)},
            {"conv_multiplied", "", convolution_cases("conv_multiplied", 2, multiplied)},
            {"conv_blocked", "", convolution_cases("conv_blocked", 2, blocked)},
            {"conv_valid", "", convolution_cases("conv_valid", 2, valid)},
            {"conv_same_strided", "", convolution_cases("conv_same_strided", 3, strided)},
            {"conv_even_kernel", "", convolution_cases("conv_even_kernel", 2, even)},
            {"conv_pointwise", "", convolution_cases("conv_pointwise", 2, pointwise)},
            {"dense", "", dense_cases("dense", 5, 19, 7)},
            {"pool_valid", "max_", max_pool_cases("pool_valid", 2, pool_valid)},
            {"pool_valid", "average_", average_pool_cases("pool_valid", 2, pool_valid)},
            {"pool_same", "max_", max_pool_cases("pool_same", 2, pool_same)},
            {"pool_same", "average_", average_pool_cases("pool_same", 2, pool_same)},
            {"elementwise", "", elementwise_cases("elementwise", 2, {3, 5, 4})},
            {"concat", "", concat_cases("concat", 3, {2, 4, 5})},
            {"classes", "", softmax_cases("classes", 6, 10)}};
}

/// Where PyTorch has nothing to say, or says the same twice.
bool has_golden(const std::string& result) {
    for (const auto* without : {"scaled_relu", "bias_", "mul", "add_n", "reshape"}) {
        if (result.starts_with(without)) return false;
    }
    return true;
}

OwnedBatch golden_batch(const GoldenFamily& family, const Program& program) {
    const auto examples = program.batch;
    OwnedBatch batch = random_batch(examples, {1}, 2, 1);
    batch.values = golden_rounded(family.name + "_images");
    if (family.name == "classes") batch.labels = golden_integers("classes_labels");
    return batch;
}

std::vector<float> run_case(const BackendFactory& factory, const GoldenFamily& family,
                            const OperatorCase& one) {
    const std::vector programs{one.program};
    const auto backend = factory.make();
    const auto bound = backend->bind(programs);
    for (const auto& parameter : one.program.parameters) {
        const auto& name = one.program.tensor(parameter.value).name;
        backend->write(name, golden_rounded(family.name + "_" + name));
    }
    run_step(*bound[0], golden_batch(family, one.program));
    return bound[0]->read(one.result);
}

}  // namespace

TEST_CASE("operators agree with PyTorch") {
    for (const auto& factory : backend_factories()) {
        LargestDifference largest(factory.name + ", operators against PyTorch");
        for (const auto& family : families()) {
            for (const auto& one : family.cases) {
                auto result = one.name.substr(one.name.find('.') + 1);
                if (!has_golden(result)) continue;
                auto expected = family.prefix + result;
                if (expected == "fused_dweight" || expected == "fused_dbias") expected = expected.substr(6);
                INFO(factory.name << ": " << one.name);
                const auto difference =
                    relative_difference(run_case(factory, family, one), golden(family.name + "_" + expected));
                CHECK(difference <= 1e-5);
                largest.add(one.name, difference);
            }
        }
    }
}
