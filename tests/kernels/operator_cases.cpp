#include "kernels/operator_cases.hpp"

#include "nn/window.hpp"

namespace convoy::test {
namespace {

using Kind = OperatorKind;

/// Collects a program operator by operator.
class CaseBuilder {
  public:
    CaseBuilder(std::string family, std::int64_t batch, const Shape& image) : family_(std::move(family)) {
        program_.batch = batch;
        program_.layout_batch = batch;
        images = add_tensor("images", image.with_batch(batch), TensorRole::input, true);
        labels = add_tensor("labels", Shape{batch}, TensorRole::input, true);
        const DatasetAttributes of_images{.row = image.elements()};
        program_.operators.push_back({Kind::dataset, "batch", Pass::input, {}, {images}, of_images, {}});
        const DatasetAttributes of_labels{.thing = ReadThing::labels};
        program_.operators.push_back({Kind::dataset, "labels", Pass::input, {}, {labels}, of_labels, {}});
    }

    TensorId parameter(const std::string& name, const Shape& shape) {
        const auto value = add_tensor(name, shape, TensorRole::parameter, false);
        auto& parameter = program_.parameters.emplace_back();
        parameter.value = value;
        return value;
    }

    [[nodiscard]] TensorId parameter_value(std::size_t n) const { return program_.parameters.at(n).value; }

    /// The gradient tensor of the parameter that was added as the n-th.
    TensorId gradient(std::size_t n) {
        auto& parameter = program_.parameters.at(n);
        auto info = program_.tensor(parameter.value);
        parameter.gradient = add_tensor(info.name + "/gradient", info.shape, TensorRole::gradient, false);
        return parameter.gradient;
    }

    /// A result of the whole batch.
    TensorId activation(const std::string& name, const Shape& shape) {
        return add_tensor(name, shape.with_batch(program_.batch), TensorRole::activation, true);
    }

    TensorId add_tensor(const std::string& name, const Shape& shape, TensorRole role, bool batched) {
        program_.tensors.push_back({name, shape, role, batched});
        return static_cast<TensorId>(program_.tensors.size() - 1);
    }

    /// A message, or the memory of an exchange.
    TensorId bucket(const std::string& name, std::int64_t elements) {
        const auto storage = add_tensor(name, Shape{elements}, TensorRole::bucket, false);
        program_.buckets.push_back({.storage = storage, .tensors = {}, .offsets = {}, .elements = elements});
        return storage;
    }

    void add(Kind kind, Pass pass, std::vector<TensorId> inputs, std::vector<TensorId> outputs,
             Attributes attributes = {}, std::vector<Kind> folded = {}) {
        program_.operators.push_back({kind, family_, pass, std::move(inputs), std::move(outputs),
                                      std::move(attributes), std::move(folded)});
    }

    OperatorCase finish(const std::string& what, TensorId result) {
        return {family_ + "." + what, program_, result};
    }

    TensorId images{}, labels{};

  private:
    std::string family_;
    Program program_;
};

/// The kinds of one product and the tensors around it.
struct Product {
    Kind forward, weight_gradient, input_gradient, fused, fused_gradient;
    Shape x, weight, y;  ///< x and y of one example
    Attributes plain, with_relu;
};

std::vector<OperatorCase> product_cases(const std::string& family, std::int64_t batch,
                                        const Product& product) {
    const auto start = [&] { return CaseBuilder(family, batch, product.x); };
    std::vector<OperatorCase> cases;
    const auto add_forward = [&](CaseBuilder& builder) {
        const auto weight = builder.parameter("weight", product.weight);
        const auto y = builder.activation("y", product.y);
        builder.add(product.forward, Pass::forward, {builder.images, weight}, {y}, product.plain);
        return y;
    };
    {
        auto builder = start();
        cases.push_back(builder.finish("y", add_forward(builder)));
    }
    {
        auto builder = start();
        const auto y = add_forward(builder);
        const auto dweight = builder.gradient(0);
        builder.add(product.weight_gradient, Pass::backward, {builder.images, y}, {dweight}, product.plain);
        cases.push_back(builder.finish("dweight", dweight));
    }
    {
        auto builder = start();
        const auto y = add_forward(builder);
        const auto dx = builder.activation("dx", product.x);
        builder.add(product.input_gradient, Pass::backward, {builder.parameter_value(0), y}, {dx},
                    product.plain);
        cases.push_back(builder.finish("dx", dx));
    }
    {
        auto builder = start();
        const auto weight = builder.parameter("weight", product.weight);
        const auto bias = builder.parameter("bias", {product.weight[0]});
        const auto y = builder.activation("y", product.y);
        builder.add(product.fused, Pass::forward, {builder.images, weight, bias}, {y}, product.with_relu,
                    {product.forward, Kind::bias_add, Kind::relu});
        cases.push_back(builder.finish("fused_y", y));
    }
    for (const auto* what : {"fused_dweight", "fused_dbias"}) {
        auto builder = start();
        const auto y = add_forward(builder);
        builder.parameter("bias", {product.weight[0]});
        const auto dweight = builder.gradient(0);
        const auto dbias = builder.gradient(1);
        builder.add(product.fused_gradient, Pass::backward, {builder.images, y}, {dweight, dbias},
                    product.plain, {product.weight_gradient, Kind::bias_add_grad});
        cases.push_back(builder.finish(what, std::string(what) == "fused_dbias" ? dbias : dweight));
    }
    return cases;
}

WindowAttributes place(const WindowCase& window) {
    const bool sequence = window.axes == 1;
    const Extents size{sequence ? 1 : window.size, window.size};
    const Extents stride{sequence ? 1 : window.stride, window.stride};
    auto placed = place_window(window.image, size, stride, window.padding).value();
    placed.groups = window.groups;
    return placed;
}

}  // namespace

std::vector<OperatorCase> convolution_cases(const std::string& family, std::int64_t batch,
                                            const WindowCase& window) {
    const auto plain = place(window);
    auto with_relu = plain;
    with_relu.relu = true;
    return product_cases(
        family, batch,
        {Kind::conv2d, Kind::conv2d_backprop_filter, Kind::conv2d_backprop_input, Kind::fused_conv2d,
         Kind::fused_conv2d_backprop_filter, window.image,
         Shape{window.filters, window.image[0] / window.groups, plain.size[0], plain.size[1]},
         window_output(window.image, plain, window.filters), plain, with_relu});
}

std::vector<OperatorCase> dense_cases(const std::string& family, std::int64_t batch, std::int64_t features,
                                      std::int64_t units) {
    return product_cases(
        family, batch,
        {Kind::matmul, Kind::matmul_backprop_weight, Kind::matmul_backprop_input, Kind::fused_matmul,
         Kind::fused_matmul_backprop_weight, Shape{features}, Shape{units, features}, Shape{units},
         MatMulAttributes{}, MatMulAttributes{.relu = true}});
}

std::vector<OperatorCase> max_pool_cases(const std::string& family, std::int64_t batch,
                                         const WindowCase& window) {
    const auto attributes = place(window);
    const auto pooled = window_output(window.image, attributes, window.image[0]);
    CaseBuilder builder(family, batch, window.image);
    const auto y = builder.activation("y", pooled);
    const auto argmax = builder.add_tensor("argmax", pooled.with_batch(batch), TensorRole::opaque, true);
    builder.add(Kind::max_pool, Pass::forward, {builder.images}, {y, argmax}, attributes);
    std::vector<OperatorCase> cases{builder.finish("y", y)};
    const auto dx = builder.activation("dx", window.image);
    builder.add(Kind::max_pool_grad, Pass::backward, {y, argmax}, {dx}, attributes);
    cases.push_back(builder.finish("dx", dx));
    return cases;
}

std::vector<OperatorCase> average_pool_cases(const std::string& family, std::int64_t batch,
                                             const WindowCase& window) {
    const auto attributes = place(window);
    const auto pooled = window_output(window.image, attributes, window.image[0]);
    CaseBuilder builder(family, batch, window.image);
    const auto y = builder.activation("y", pooled);
    builder.add(Kind::average_pool, Pass::forward, {builder.images}, {y}, attributes);
    std::vector<OperatorCase> cases{builder.finish("y", y)};
    const auto dx = builder.activation("dx", window.image);
    builder.add(Kind::average_pool_grad, Pass::backward, {y}, {dx}, attributes);
    cases.push_back(builder.finish("dx", dx));
    return cases;
}

std::vector<OperatorCase> elementwise_cases(const std::string& family, std::int64_t batch,
                                            const Shape& image) {
    std::vector<OperatorCase> cases;
    struct Pair {
        std::string name;
        Kind forward, gradient;
        Attributes attributes;  ///< of the gradient
        Attributes of_forward = {};
    };
    const LeakyReluAttributes leaky{.slope = 0.2};
    for (const auto& [name, forward, gradient, attributes, of_forward] :
         {Pair{"relu", Kind::relu, Kind::relu_grad, ReluGradAttributes{}},
          Pair{"scaled_relu", Kind::relu, Kind::relu_grad, ReluGradAttributes{.scale = 1.25}},
          Pair{"leaky_relu", Kind::leaky_relu, Kind::leaky_relu_grad, leaky, leaky},
          Pair{"tanh", Kind::tanh, Kind::tanh_grad, {}},
          Pair{"sigmoid", Kind::sigmoid, Kind::sigmoid_grad, {}}}) {
        CaseBuilder builder(family, batch, image);
        const auto y = builder.activation("y", image);
        builder.add(forward, Pass::forward, {builder.images}, {y}, of_forward);
        cases.push_back(builder.finish(name + "_y", y));
        const auto dx = builder.activation("dx", image);
        builder.add(gradient, Pass::backward, {y, builder.images}, {dx}, attributes);
        cases.push_back(builder.finish(name + "_dx", dx));
    }
    {
        CaseBuilder builder(family, batch, image);
        const auto bias = builder.parameter("bias", {image[0]});
        const auto y = builder.activation("y", image);
        builder.add(Kind::bias_add, Pass::forward, {builder.images, bias}, {y});
        cases.push_back(builder.finish("bias_y", y));
        const auto dbias = builder.gradient(0);
        builder.add(Kind::bias_add_grad, Pass::backward, {y}, {dbias});
        cases.push_back(builder.finish("bias_dbias", dbias));
    }
    CaseBuilder builder(family, batch, image);
    const auto relu = builder.activation("relu", image);
    builder.add(Kind::relu, Pass::forward, {builder.images}, {relu});
    auto product = builder;
    const auto mul = product.activation("mul", image);
    product.add(Kind::multiply, Pass::forward, {builder.images, relu}, {mul});
    cases.push_back(product.finish("mul", mul));
    auto sum = builder;
    const auto add_n = sum.activation("add_n", image);
    sum.add(Kind::add_n, Pass::backward, {builder.images, relu, builder.images}, {add_n});
    cases.push_back(sum.finish("add_n", add_n));
    const auto rows = builder.activation("rows", Shape{image.elements()});
    builder.add(Kind::reshape, Pass::forward, {relu}, {rows});
    cases.push_back(builder.finish("reshape", rows));
    const auto back = builder.activation("back", image);
    builder.add(Kind::reshape_grad, Pass::backward, {rows}, {back});
    cases.push_back(builder.finish("reshape_grad", back));
    return cases;
}

std::vector<OperatorCase> concat_cases(const std::string& family, std::int64_t batch, const Shape& image) {
    CaseBuilder builder(family, batch, image);
    auto extents = image.extents();
    extents[0] *= 3;
    const auto relu = builder.activation("relu", image);
    builder.add(Kind::relu, Pass::forward, {builder.images}, {relu});
    const auto y = builder.activation("y", Shape(extents));
    builder.add(Kind::concat, Pass::forward, {builder.images, relu, builder.images}, {y});
    std::vector<OperatorCase> cases{builder.finish("y", y)};
    const auto dx = builder.activation("dx", image);
    builder.add(Kind::slice, Pass::backward, {y}, {dx}, SliceAttributes{image[0]});
    cases.push_back(builder.finish("slice", dx));
    return cases;
}

std::vector<OperatorCase> message_cases(const std::string& family, std::int64_t batch,
                                        const WindowCase& window) {
    const auto area = window.image[1] * window.image[2];
    const Shape packed({window.filters, window.image[1], window.image[2]});
    constexpr std::int64_t before = 5;  // other values of the message
    const auto elements = before + batch * window.filters * area;
    CaseBuilder builder(family, batch, window.image);
    const auto weight = builder.parameter("weight", {window.filters, window.image[0], 1, 1});
    const auto y = builder.activation("y", packed);
    builder.add(Kind::conv2d, Pass::forward, {builder.images, weight}, {y}, WindowAttributes{});
    const auto message = builder.bucket("message", elements);
    builder.add(Kind::pack, Pass::communication, {y}, {message}, MessageAttributes{before});
    const auto received = builder.activation("received", packed);
    builder.add(Kind::unpack, Pass::communication, {message}, {received}, MessageAttributes{before});
    std::vector<OperatorCase> cases{builder.finish("unpack", received)};
    const auto more = builder.parameter("more", {window.filters, window.filters, window.size, window.size});
    const auto next = builder.activation("next", packed);
    const auto margin = window.size / 2;
    builder.add(Kind::conv2d, Pass::forward, {received, more}, {next},
                WindowAttributes{.size = {window.size, window.size},
                                 .padding_before = {margin, margin},
                                 .padding_after = {margin, margin}});
    cases.push_back(builder.finish("read", next));
    return cases;
}

std::vector<OperatorCase> softmax_cases(const std::string& family, std::int64_t batch,
                                        std::int64_t features) {
    CaseBuilder softmax(family, batch, {features});
    const auto y = softmax.activation("y", {features});
    softmax.add(Kind::softmax, Pass::forward, {softmax.images}, {y});
    std::vector<OperatorCase> cases{softmax.finish("softmax_y", y)};
    const auto dx = softmax.activation("dx", {features});
    softmax.add(Kind::softmax_grad, Pass::backward, {y, softmax.images}, {dx});
    cases.push_back(softmax.finish("softmax_dx", dx));

    CaseBuilder loss(family, batch, {features});
    const auto dlogits = loss.activation("dlogits", {features});
    const auto metrics = loss.add_tensor("metrics", {2}, TensorRole::metrics, false);
    loss.add(Kind::softmax_cross_entropy, Pass::forward, {loss.images, loss.labels}, {dlogits, metrics});
    cases.push_back(loss.finish("dlogits", dlogits));
    cases.push_back(loss.finish("metrics", metrics));
    return cases;
}

std::vector<OperatorCase> dropout_cases(const std::string& family, std::int64_t batch, const Shape& image) {
    const DropoutAttributes attributes{.rate = 0.375, .layer = 3};
    CaseBuilder steps(family, batch, image);
    const auto u = steps.activation("u", image);
    const auto keep = steps.activation("keep", image);
    const auto mask = steps.activation("mask", image);
    const auto y = steps.activation("y", image);
    steps.add(Kind::random_uniform, Pass::forward, {}, {u}, attributes);
    steps.add(Kind::greater_equal, Pass::forward, {u}, {keep}, attributes);
    steps.add(Kind::cast, Pass::forward, {keep}, {mask}, attributes);
    steps.add(Kind::multiply, Pass::forward, {steps.images, mask}, {y});
    std::vector<OperatorCase> cases{steps.finish("y", y)};

    const std::vector folded{Kind::random_uniform, Kind::greater_equal, Kind::cast, Kind::multiply};
    CaseBuilder fused(family, batch, image);
    const auto fused_y = fused.activation("y", image);
    auto masked = fused;
    fused.add(Kind::fused_dropout, Pass::forward, {fused.images}, {fused_y}, attributes, folded);
    cases.push_back(fused.finish("fused_y", fused_y));
    const auto fused_mask = masked.activation("mask", image);
    masked.add(Kind::fused_dropout_masked, Pass::forward, {masked.images}, {fused_y, fused_mask}, attributes,
               folded);
    cases.push_back(masked.finish("masked_y", fused_y));
    cases.push_back(masked.finish("masked_mask", fused_mask));
    return cases;
}

}  // namespace convoy::test
