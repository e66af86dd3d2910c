#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <variant>

namespace convoy {

/// w -= learning_rate * v, with v = momentum * v + g (momentum 0 keeps no v).
struct Sgd {
    double learning_rate = 0.01;
    double momentum = 0.0;
    bool operator==(const Sgd&) const = default;
};
/// a += g^2; w -= learning_rate * g / (sqrt(a) + epsilon). Duchi, Hazan, Singer, JMLR 2011; as Keras and
/// PyTorch.
struct Adagrad {
    double learning_rate = 0.001;
    double initial_accumulator = 0.1;
    double epsilon = 1e-7;
    bool operator==(const Adagrad&) const = default;
};
/// a = rho a + (1 - rho) g^2; u = sqrt(d + epsilon) / sqrt(a + epsilon) g; d = rho d + (1 - rho) u^2;
/// w -= learning_rate * u. Zeiler, arXiv:1212.5701; as Keras: d accumulates u, not learning_rate * u.
struct Adadelta {
    double learning_rate = 1.0;
    double rho = 0.95;
    double epsilon = 1e-7;
    bool operator==(const Adadelta&) const = default;
};
/// Kingma and Ba, arXiv:1412.6980, section 2 before the last paragraph (bias-corrected m and v):
/// w -= learning_rate * mhat / (sqrt(vhat) + epsilon).
struct Adam {
    double learning_rate = 0.001;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-7;
    bool operator==(const Adam&) const = default;
};

/// The same optimizer with its learning rate multiplied by a schedule's factor.
template <typename Optimizer>
Optimizer at_rate(Optimizer optimizer, double factor) {
    optimizer.learning_rate *= factor;
    return optimizer;
}

using OptimizerSpec = std::variant<Sgd, Adagrad, Adadelta, Adam>;

/// The quantity of gradients that is limited before the optimizer uses them.
enum class ClipBy : std::uint8_t {
    global_norm,  ///< of all gradients as one vector (Pascanu et al., arXiv:1211.5063); Keras'
                  ///< global_clipnorm
    norm,         ///< of each parameter's gradient by itself; Keras' clipnorm
    value,        ///< each element, to [-limit, limit]; Keras' clipvalue
};
struct GradientClipping {
    ClipBy by = ClipBy::global_norm;
    double limit = 1.0;
    bool operator==(const GradientClipping&) const = default;
};

/// The factor of gradients with this norm, after which their norm is at most `limit`. Gradients keep their
/// direction. NaN if the norm is not finite, since zeros would hide that training has diverged.
inline double clip_factor(double norm, double limit) {
    if (!std::isfinite(norm)) return std::numeric_limits<double>::quiet_NaN();
    return norm > limit ? limit / norm : 1.0;
}

}  // namespace convoy
