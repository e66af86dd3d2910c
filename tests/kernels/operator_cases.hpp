#pragma once

#include <string>
#include <vector>

#include "program/program.hpp"
#include "spec/model_spec.hpp"

namespace convoy::test {

/// A program of a few operators on one batch of images (N,C,H,W or N,F) and the tensor at its end. Where an
/// operator needs a gradient dy, it gets the result y of the operator that it belongs to, so that a case
/// needs no more than images and parameters ("weight", "bias").
struct OperatorCase {
    std::string name;  ///< FAMILY.RESULT
    Program program;
    TensorId result{};
};

struct WindowCase {
    Shape image;  ///< C,H,W
    std::int64_t filters = 1;
    std::int64_t size = 1;
    std::int64_t stride = 1;
    Padding padding = Padding::valid;
    std::int64_t groups = 1;
    int axes = 2;  ///< 1: a window over the columns of an image of one row
};

/// y, dweight, dx, and fused: fused_y (with ReLU), fused_dweight, fused_dbias.
std::vector<OperatorCase> convolution_cases(const std::string& family, std::int64_t batch,
                                            const WindowCase& window);
/// The same of a dense layer.
std::vector<OperatorCase> dense_cases(const std::string& family, std::int64_t batch, std::int64_t features,
                                      std::int64_t units);
/// y, dx of the layer, N,C,H,W.
std::vector<OperatorCase> max_pool_cases(const std::string& family, std::int64_t batch,
                                         const WindowCase& window);
std::vector<OperatorCase> average_pool_cases(const std::string& family, std::int64_t batch,
                                             const WindowCase& window);
/// relu, leaky_relu, tanh, sigmoid: y and dx of each; bias_add: y and dbias; mul, add_n, reshape and its
/// gradient.
std::vector<OperatorCase> elementwise_cases(const std::string& family, std::int64_t batch,
                                            const Shape& image);
/// y, the images beside their relu and the images once more, and dy cut for the second: y's own values.
std::vector<OperatorCase> concat_cases(const std::string& family, std::int64_t batch, const Shape& image);
/// Results of a convolution that go into a message behind other values: unpack, and read, a convolution of
/// the received values.
std::vector<OperatorCase> message_cases(const std::string& family, std::int64_t batch,
                                        const WindowCase& window);
/// softmax.y, softmax.dx, loss.dlogits, loss.metrics of N,F.
std::vector<OperatorCase> softmax_cases(const std::string& family, std::int64_t batch, std::int64_t features);
/// y step by step, and y and mask fused.
std::vector<OperatorCase> dropout_cases(const std::string& family, std::int64_t batch, const Shape& image);

}  // namespace convoy::test
