#pragma once

#include <optional>

#include "graph/operator.hpp"
#include "kernels/onednn/layout.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy::onednn {

/// Operands of one convolution over some examples: source N,C,H,W, weight O,I,H,W, or G,O/G,I,H,W if it has
/// several groups, result N,O,H,W. A format may be `any`. In a backward pass, source, weight, bias or result
/// is the gradient with the same shape.
struct ConvolutionProblem {
    Desc source, weight, result;
    std::optional<Desc> bias;
    std::optional<Desc>
        addend;  ///< forward only: added to the result before its activation; in the result's format
    WindowAttributes window;
};

/// An algorithm, and the primitive that runs it.
template <typename PrimitiveDesc>
struct Chosen {
    dnnl::algorithm algorithm;
    PrimitiveDesc pd;
};

using ConvolutionForward = dnnl::convolution_forward::primitive_desc;
using ConvolutionBackwardData = dnnl::convolution_backward_data::primitive_desc;
using ConvolutionBackwardWeights = dnnl::convolution_backward_weights::primitive_desc;

/// The formats of a primitive's source, weight and result, or of their gradients.
struct PassFormats {
    Desc source, weight, result;
};
PassFormats formats(const ConvolutionForward& pd);
PassFormats formats(const ConvolutionBackwardData& pd);
PassFormats formats(const ConvolutionBackwardWeights& pd);

/// The fastest implementation. It is Winograd if oneDNN has it for this convolution and it is faster (3x3,
/// stride 1, full blocks of channels), unless the spec says direct. oneDNN chooses a format where the problem
/// has `any`. Lavin and Gray, "Fast algorithms for convolutional neural networks", CVPR 2016.
Chosen<ConvolutionForward> choose_forward(const KernelSpec& spec, const ConvolutionProblem& problem);
Chosen<ConvolutionBackwardData> choose_backward_data(const KernelSpec& spec,
                                                     const ConvolutionProblem& problem);
Chosen<ConvolutionBackwardWeights> choose_backward_weights(const KernelSpec& spec,
                                                           const ConvolutionProblem& problem);

/// The format in which convolutions take activations N,C,H,W of this shape fastest: oneDNN's choice for a 3x3
/// convolution to as many channels. Plain for other shapes, and where the format has padding.
Desc activation_format(const Shape& shape, DataType type);

}  // namespace convoy::onednn
