#!/usr/bin/env python3
"""Golden tensors for the kernels' tests, computed by PyTorch in double precision.

    python3 tests/kernels/golden/make_golden.py

writes the .npy files beside this script (Debian 12: python3-torch). Families and results have the names of
tests/kernels/operator_cases.hpp: where an operator needs a gradient dy, it gets the result y of its forward operator
(elementwise and softmax: the images), so FAMILY_images, FAMILY_weight and FAMILY_bias are all that goes in.
"""
import pathlib

import numpy
import torch
import torch.nn.functional as functional

FOLDER = pathlib.Path(__file__).resolve().parent
torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


def save(name, tensor, dtype=numpy.float64):
    numpy.save(FOLDER / f"{name}.npy", numpy.ascontiguousarray(tensor.detach().numpy().astype(dtype)))


def single(*shape, scale=1.0):
    """Random values that are exact in single precision."""
    return (torch.rand(*shape) * 2 * scale - scale).float().double()


def same_padding(extent, size, stride):
    """TensorFlow's rule: ceil(extent / stride) results, the odd row behind."""
    missing = max((-(-extent // stride) - 1) * stride + size - extent, 0)
    return missing // 2, missing - missing // 2


def pad(x, size, stride, padding, value=0.0):
    if padding == "valid":
        return x
    rows, columns = same_padding(x.shape[2], size, stride), same_padding(x.shape[3], size, stride)
    return functional.pad(x, (*columns, *rows), value=value)


def save_forward_and_backward(family, forward, x, weight, bias):
    for name, tensor in (("images", x), ("weight", weight), ("bias", bias)):
        save(f"{family}_{name}", tensor)
    x.requires_grad_(), weight.requires_grad_()
    y = forward(x, weight)
    y.backward(y.detach())
    axes = (0, *range(2, y.dim()))
    save(f"{family}_y", y)
    save(f"{family}_dx", x.grad)
    save(f"{family}_dweight", weight.grad)
    save(f"{family}_dbias", y.sum(axes))
    shape = [1, -1] + [1] * (y.dim() - 2)
    save(f"{family}_fused_y", torch.relu(y + bias.view(shape)))


def convolution(family, batch, image, filters, size, stride, padding, groups=1):
    x, weight = single(batch, *image), single(filters, image[0] // groups, size, size, scale=0.5)
    forward = lambda a, w: functional.conv2d(pad(a, size, stride, padding), w, stride=stride, groups=groups)
    save_forward_and_backward(family, forward, x, weight, single(filters))


def pad_sequence(x, size, stride, padding, value=0.0):
    return x if padding == "valid" else functional.pad(x, same_padding(x.shape[2], size, stride), value=value)


def convolution_of_sequences(family, batch, sequence, filters, size, stride, padding, groups=1):
    x, weight = single(batch, *sequence), single(filters, sequence[0] // groups, size, scale=0.5)
    forward = lambda a, w: functional.conv1d(pad_sequence(a, size, stride, padding), w, stride=stride, groups=groups)
    save_forward_and_backward(family, forward, x, weight, single(filters))


def dense(family, batch, features, units):
    forward = lambda a, w: a @ w.t()
    save_forward_and_backward(family, forward, single(batch, features), single(units, features, scale=0.5), single(units))


def pooling(family, batch, image, size, stride, padding):
    """Averages leave the padding out: a sum over the window divided by its count of pixels."""
    def largest(x):
        return functional.max_pool2d(pad(x, size, stride, padding, -numpy.inf), size, stride)

    def mean(x):
        sums = functional.avg_pool2d(pad(x, size, stride, padding), size, stride)
        return sums / functional.avg_pool2d(pad(torch.ones_like(x), size, stride, padding), size, stride)

    save_poolings(family, single(batch, *image), largest, mean)


def pooling_of_sequences(family, batch, sequence, size, stride, padding):
    def largest(x):
        return functional.max_pool1d(pad_sequence(x, size, stride, padding, -numpy.inf), size, stride)

    def mean(x):
        sums = functional.avg_pool1d(pad_sequence(x, size, stride, padding), size, stride)
        return sums / functional.avg_pool1d(pad_sequence(torch.ones_like(x), size, stride, padding), size, stride)

    save_poolings(family, single(batch, *sequence), largest, mean)


def save_poolings(family, x, largest, mean):
    save(f"{family}_images", x)
    for name, pool in (("max", largest), ("average", mean)):
        leaf = x.clone().requires_grad_()
        y = pool(leaf)
        y.backward(y.detach())
        save(f"{family}_{name}_y", y)
        save(f"{family}_{name}_dx", leaf.grad)


def elementwise(family, batch, image):
    x = single(batch, *image, scale=3.0)
    save(f"{family}_images", x)
    leaky_relu = lambda value: functional.leaky_relu(value, 0.2)
    for name, function in (("relu", torch.relu), ("leaky_relu", leaky_relu), ("tanh", torch.tanh), ("sigmoid", torch.sigmoid)):
        leaf = x.clone().requires_grad_()
        y = function(leaf)
        y.backward(x)
        save(f"{family}_{name}_y", y)
        save(f"{family}_{name}_dx", leaf.grad)


def concat(family, batch, image):
    """The images, their ReLU and the images once more side by side; the gradient of the second part for dy = y."""
    x = single(batch, *image, scale=3.0)
    save(f"{family}_images", x)
    second = torch.relu(x).requires_grad_()
    y = torch.cat((x, second, x), 1)
    y.backward(y.detach())
    save(f"{family}_y", y)
    save(f"{family}_slice", second.grad)


def softmax(family, batch, features):
    x, labels = single(batch, features, scale=5.0), torch.randint(features, (batch,))
    save(f"{family}_images", x)
    save(f"{family}_labels", labels, numpy.int32)
    leaf = x.clone().requires_grad_()
    y = torch.softmax(leaf, 1)
    y.backward(x)
    save(f"{family}_softmax_y", y)
    save(f"{family}_softmax_dx", leaf.grad)
    leaf = x.clone().requires_grad_()
    loss = functional.cross_entropy(leaf, labels, reduction="sum")
    (loss / batch).backward()
    save(f"{family}_dlogits", leaf.grad)
    save(f"{family}_metrics", torch.tensor([loss.item(), float((x.argmax(1) == labels).sum())]))


class SmallNetwork(torch.nn.Module):
    """conv 5 filters 3x3 same stride 2 relu; conv 6 filters 3x3 valid tanh; max pooling 2; dense 12 relu; dense 10."""

    def __init__(self):
        super().__init__()
        self.parameters_in_order = torch.nn.ParameterList(
            [torch.nn.Parameter(single(*shape, scale=scale)) for shape, scale in
             (((5, 1, 3, 3), 0.5), ((5,), 0.1), ((6, 5, 3, 3), 0.3), ((6,), 0.1), ((12, 24), 0.4), ((12,), 0.1),
              ((10, 12), 0.5), ((10,), 0.1))])

    def forward(self, x):
        w1, b1, w2, b2, w3, b3, w4, b4 = self.parameters_in_order
        x = torch.relu(functional.conv2d(pad(x, 3, 2, "same"), w1, b1, stride=2))
        x = torch.tanh(functional.conv2d(x, w2, b2))
        x = functional.max_pool2d(x, 2).flatten(1)
        return torch.relu(x @ w3.t() + b3) @ w4.t() + b4


def flat(parameters):
    return torch.cat([p.detach().reshape(-1) for p in parameters])


def training():
    """Ten steps of every optimizer from one start. Adadelta and Adagrad as in Keras: accumulator 0.1, epsilon 1e-7."""
    steps, batch = 10, 8
    images, labels = single(steps, batch, 1, 12, 11), torch.randint(10, (steps, batch))
    save("train_images", images, numpy.float32)
    save("train_labels", labels, numpy.int32)
    start = SmallNetwork()
    save("train_initial", flat(start.parameters_in_order), numpy.float32)
    optimizers = {
        "sgd": lambda p: torch.optim.SGD(p, lr=0.1),
        "momentum": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9),
        "adagrad": lambda p: torch.optim.Adagrad(p, lr=0.05, initial_accumulator_value=0.1, eps=1e-7),
        "adadelta": lambda p: torch.optim.Adadelta(p, lr=1.0, rho=0.95, eps=1e-7),
        "adam": lambda p: torch.optim.Adam(p, lr=0.01, betas=(0.9, 0.999), eps=1e-7),
    }
    for name, make in optimizers.items():
        network = SmallNetwork()
        network.load_state_dict(start.state_dict())
        optimizer = make(network.parameters())
        losses = []
        for x, t in zip(images, labels):
            optimizer.zero_grad()
            loss = functional.cross_entropy(network(x), t)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        save(f"train_{name}_losses", torch.tensor(losses))
        save(f"train_{name}_final", flat(network.parameters_in_order))


def penalty():
    """The same start and batches, by sgd, with 0.01 times the squares of all kernels added to the loss."""
    load = lambda name, dtype: torch.from_numpy(numpy.load(FOLDER / f"train_{name}.npy").astype(dtype))
    network, losses, penalties, first = SmallNetwork(), [], [], 0
    start = load("initial", numpy.float64)
    for p in network.parameters_in_order:
        p.data.copy_(start[first:first + p.numel()].view(p.shape))
        first += p.numel()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    for x, t in zip(load("images", numpy.float64), load("labels", numpy.int64)):
        optimizer.zero_grad()
        loss = functional.cross_entropy(network(x), t)
        squares = 0.01 * sum((kernel * kernel).sum() for kernel in list(network.parameters_in_order)[::2])
        (loss + squares).backward()
        optimizer.step()
        losses.append(loss.item()), penalties.append(squares.item())
    save("penalty_losses", torch.tensor(losses))
    save("penalty_penalties", torch.tensor(penalties))
    save("penalty_final", flat(network.parameters_in_order))


def main():
    torch.manual_seed(20240229)
    convolution("conv_valid", 2, (2, 6, 7), 3, 3, 1, "valid")
    convolution("conv_same_strided", 3, (3, 8, 5), 4, 3, 2, "same")
    convolution("conv_even_kernel", 2, (1, 7, 6), 5, 4, 3, "same")
    convolution("conv_pointwise", 2, (17, 3, 4), 18, 1, 1, "valid")
    dense("dense", 5, 19, 7)
    pooling("pool_valid", 2, (3, 6, 8), 2, 2, "valid")
    pooling("pool_same", 2, (2, 7, 5), 3, 2, "same")
    elementwise("elementwise", 2, (3, 5, 4))
    softmax("classes", 6, 10)
    training()
    concat("concat", 3, (2, 4, 5))
    penalty()
    convolution("conv_grouped", 2, (4, 6, 5), 6, 3, 1, "same", groups=2)
    convolution("conv_depthwise", 3, (5, 7, 6), 5, 3, 2, "same", groups=5)
    convolution("conv_multiplied", 2, (3, 5, 5), 6, 2, 1, "valid", groups=3)
    convolution("conv_blocked", 2, (16, 5, 5), 16, 3, 1, "same", groups=16)
    convolution_of_sequences("conv_sequence", 2, (3, 11), 4, 4, 2, "same")
    convolution_of_sequences("conv_grouped_sequence", 2, (4, 9), 6, 3, 1, "valid", groups=2)
    pooling_of_sequences("pool_sequence", 2, (3, 10), 3, 2, "same")


if __name__ == "__main__":
    main()
