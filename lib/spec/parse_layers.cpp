#include <fmt/format.h>

#include <map>
#include <set>

#include "spec/codecs.hpp"
#include "spec/fields.hpp"
#include "spec/layer_bounds.hpp"
#include "spec/sections.hpp"

namespace convoy {
namespace {

using nlohmann::json;
using Layer = decltype(LayerSpec::layer);

constexpr std::size_t most_layers = 1000;
constexpr Number l2_factor{0.0, 1.0};

constexpr auto paddings = choice<Padding>({{"valid", Padding::valid}, {"same", Padding::same}});
constexpr auto initializers = choice<KernelInitializer>(
    {{"glorot_uniform", KernelInitializer::glorot_uniform}, {"he_normal", KernelInitializer::he_normal}});

/// The activation that has a field of its own, as an object.
struct LeakyRelu {
    Activation activation{Activation::leaky_relu};
};

template <typename Fields>
void declare(Fields& fields, LeakyRelu& leaky) {
    constexpr auto name = choice<Activation::Kind>({{"leaky_relu", Activation::leaky_relu}});
    fields.tag("name", leaky.activation.kind, name);
    fields.field("slope", leaky.activation.slope, Number{0.0, 1.0});
}

/// A name, or an object with the fields of an activation that has some.
template <typename Names>
struct ActivationCodec {
    Names names;

    [[nodiscard]] Activation read(const json& found, const Place& place) const {
        return found.is_object() ? Section<LeakyRelu>{}.read(found, place).activation
                                 : names.read(found, place);
    }
    [[nodiscard]] json write(const Activation& activation) const {
        return activation.kind == Activation::leaky_relu ? Section<LeakyRelu>{}.write({activation})
                                                         : names.write(activation);
    }
    [[nodiscard]] std::string expected() const { return names.expected(); }
};
template <typename Names>
ActivationCodec(Names) -> ActivationCodec<Names>;

constexpr ActivationCodec activations{choice<Activation>({{"none", Activation::none},
                                                          {"relu", Activation::relu},
                                                          {"leaky_relu", Activation::leaky_relu},
                                                          {"tanh", Activation::tanh},
                                                          {"sigmoid", Activation::sigmoid},
                                                          {"softmax", Activation::softmax}})};
/// Of a layer that is nothing but its activation.
constexpr ActivationCodec lone_activations{choice<Activation>({{"relu", Activation::relu},
                                                               {"leaky_relu", Activation::leaky_relu},
                                                               {"tanh", Activation::tanh},
                                                               {"sigmoid", Activation::sigmoid},
                                                               {"softmax", Activation::softmax}})};

/// The type chooses the alternative, with its defaults.
struct LayerType {
    enum class Type {
        conv2d,
        conv1d,
        dense,
        max_pool,
        max_pool1d,
        average_pool,
        average_pool1d,
        global_average_pool,
        dropout,
        flatten,
        activation,
        softmax,
        batch_norm,
        add,
        concat
    };
    static constexpr auto types = choice<Type>({{"conv2d", Type::conv2d},
                                                {"conv1d", Type::conv1d},
                                                {"dense", Type::dense},
                                                {"max_pool", Type::max_pool},
                                                {"max_pool1d", Type::max_pool1d},
                                                {"average_pool", Type::average_pool},
                                                {"average_pool1d", Type::average_pool1d},
                                                {"global_average_pool", Type::global_average_pool},
                                                {"dropout", Type::dropout},
                                                {"flatten", Type::flatten},
                                                {"activation", Type::activation},
                                                {"softmax", Type::softmax},
                                                {"batch_norm", Type::batch_norm},
                                                {"add", Type::add},
                                                {"concat", Type::concat}});

    [[nodiscard]] Layer read(const json& found, const Place& place) const {
        switch (types.read(found, place)) {
            case Type::conv2d: return Conv2dLayer{};
            case Type::conv1d: return Conv1dLayer{};
            case Type::dense: return DenseLayer{};
            case Type::max_pool: return PoolLayer{.kind = PoolKind::max};
            case Type::max_pool1d: return Pool1dLayer{.kind = PoolKind::max};
            case Type::average_pool: return PoolLayer{.kind = PoolKind::average};
            case Type::average_pool1d: return Pool1dLayer{.kind = PoolKind::average};
            case Type::global_average_pool: return GlobalAveragePoolLayer{};
            case Type::dropout: return DropoutLayer{};
            case Type::flatten: return FlattenLayer{};
            case Type::activation: return ActivationLayer{Activation::none};
            case Type::softmax: return ActivationLayer{Activation::softmax};
            case Type::batch_norm: return BatchNormLayer{};
            case Type::add: return AddLayer{};
            case Type::concat: return ConcatLayer{};
        }
        throw InternalError("a layer type without a layer");
    }
    [[nodiscard]] json write(const Layer& layer) const {
        return types.write(std::visit([](const auto& kind) { return type_of(kind); }, layer));
    }
    [[nodiscard]] std::string expected() const { return types.expected(); }

  private:
    static Type type_of(const Conv2dLayer& /*layer*/) { return Type::conv2d; }
    static Type type_of(const Conv1dLayer& /*layer*/) { return Type::conv1d; }
    static Type type_of(const DenseLayer& /*layer*/) { return Type::dense; }
    static Type type_of(const PoolLayer& layer) {
        return layer.kind == PoolKind::max ? Type::max_pool : Type::average_pool;
    }
    static Type type_of(const Pool1dLayer& layer) {
        return layer.kind == PoolKind::max ? Type::max_pool1d : Type::average_pool1d;
    }
    static Type type_of(const GlobalAveragePoolLayer& /*layer*/) { return Type::global_average_pool; }
    static Type type_of(const DropoutLayer& /*layer*/) { return Type::dropout; }
    static Type type_of(const FlattenLayer& /*layer*/) { return Type::flatten; }
    static Type type_of(const BatchNormLayer& /*layer*/) { return Type::batch_norm; }
    static Type type_of(const AddLayer& /*layer*/) { return Type::add; }
    static Type type_of(const ConcatLayer& /*layer*/) { return Type::concat; }
    static Type type_of(const ActivationLayer& layer) {
        return layer.activation == Activation::softmax ? Type::softmax : Type::activation;
    }
};

}  // namespace

// Outside the unnamed namespace, so that Section finds them by their arguments.

template <typename Fields, int axes>
void declare(Fields& fields, Convolution<axes>& layer) {
    fields.required("filters", layer.filters, width);
    fields.required("kernel", layer.kernel, window);
    fields.field("stride", layer.stride, window);
    fields.field("padding", layer.padding, paddings);
    fields.field("activation", layer.activation, activations);
    fields.field("initializer", layer.initializer, initializers);
    fields.field("l2", layer.l2, l2_factor);
    fields.field("groups", layer.groups, width);
    fields.field("bias", layer.bias, Flag{});
}

template <typename Fields>
void declare(Fields& fields, DenseLayer& layer) {
    fields.required("units", layer.units, width);
    fields.field("activation", layer.activation, activations);
    fields.field("initializer", layer.initializer, initializers);
    fields.field("l2", layer.l2, l2_factor);
}

template <typename Fields, int axes>
void declare(Fields& fields, Pooling<axes>& layer) {
    fields.field("size", layer.size, window);
    if constexpr (Fields::reads) layer.stride = layer.size;
    fields.field("stride", layer.stride, window);
    fields.field("padding", layer.padding, paddings);
}

template <typename Fields>
void declare(Fields& /*fields*/, GlobalAveragePoolLayer& /*layer*/) {}

template <typename Fields>
void declare(Fields& fields, DropoutLayer& layer) {
    fields.field("rate", layer.rate, Number{0.0, 0.999});
}

template <typename Fields>
void declare(Fields& /*fields*/, FlattenLayer& /*layer*/) {}

template <typename Fields>
void declare(Fields& fields, BatchNormLayer& layer) {
    fields.field("momentum", layer.momentum, batch_norm_momentum);
    fields.field("epsilon", layer.epsilon, Number{1e-10, 1.0});
    fields.field("activation", layer.activation, activations);
}

template <typename Fields>
void declare(Fields& /*fields*/, ConcatLayer& /*layer*/) {}

template <typename Fields>
void declare(Fields& fields, AddLayer& layer) {
    fields.field("activation", layer.activation, activations);
}

namespace {

constexpr ListOf<std::string, Identifier> layer_names{Identifier{{"_"}}, 64};

}  // namespace

template <typename Fields>
void declare(Fields& fields, ActivationLayer& layer) {
    const bool type_says_it = layer.activation == Activation::softmax;
    if (!type_says_it) fields.required("activation", layer.activation, lone_activations);
}

template <typename Fields>
void declare(Fields& fields, LayerSpec& spec) {
    fields.tag("type", spec.layer, LayerType{});
    fields.field("name", spec.name, Identifier{{"_"}});
    fields.field("inputs", spec.inputs, layer_names);
    std::visit([&fields](auto& layer) { declare(fields, layer); }, spec.layer);
}

std::vector<LayerSpec> LayerListCodec::read(const json& found, const Place& place) const {
    if (!found.is_array() || found.empty() || found.size() > most_layers) place.refuse(found, expected());
    std::vector<LayerSpec> layers;
    std::map<std::string, int> count_of_type;
    std::set<std::string> names;
    for (std::size_t i = 0; i < found.size(); ++i) {
        auto& layer = layers.emplace_back(Section<LayerSpec>{}.read(found[i], place.item(i)));
        const auto type = LayerType{}.write(layer.layer).get<std::string>();
        const int number = ++count_of_type[type];
        if (layer.name.empty()) layer.name = fmt::format("{}_{}", type, number);
        if (!names.insert(layer.name).second) {
            place.item(i).key("name").refuse(layer.name, "a name that no other layer has");
        }
    }
    return layers;
}

json LayerListCodec::write(const std::vector<LayerSpec>& layers) const {
    json list = json::array();
    for (const auto& layer : layers) list.push_back(Section<LayerSpec>{}.write(layer));
    return list;
}

std::string LayerListCodec::expected() const {
    return fmt::format("a list of 1 to {} layers", most_layers);
}

}  // namespace convoy
