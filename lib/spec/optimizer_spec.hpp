#pragma once

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

/// The same optimizer at its learning rate times a schedule's factor.
template <typename Optimizer>
Optimizer at_rate(Optimizer optimizer, double factor) {
    optimizer.learning_rate *= factor;
    return optimizer;
}

using OptimizerSpec = std::variant<Sgd, Adagrad, Adadelta, Adam>;

}  // namespace convoy
