#include <fmt/format.h>

#include <map>
#include <set>

#include "spec/codecs.hpp"
#include "spec/fields.hpp"
#include "spec/sections.hpp"

namespace convoy {
namespace {

using nlohmann::json;
using Layer = decltype(LayerSpec::layer);

constexpr Number batch_norm_momentum{0.0, 1.0, Number::Without::high};
constexpr std::size_t most_inputs = 64;
constexpr std::string_view labels_name = "labels";  // what networks call their other tensor from outside
constexpr std::string_view inline_name = "inline";
constexpr std::size_t most_layers = 1000;
constexpr std::int64_t most_input_elements = std::int64_t{1} << 26;
constexpr Integer width{1, 1 << 20};
constexpr Integer window{1, 1024};
constexpr Number l2_factor{0.0, 1.0};

constexpr auto paddings = choice<Padding>({{"valid", Padding::valid}, {"same", Padding::same}});
constexpr auto activations = choice<Activation>({{"none", Activation::none},
                                                 {"relu", Activation::relu},
                                                 {"tanh", Activation::tanh},
                                                 {"sigmoid", Activation::sigmoid},
                                                 {"softmax", Activation::softmax}});
constexpr auto initializers = choice<KernelInitializer>(
    {{"glorot_uniform", KernelInitializer::glorot_uniform}, {"he_normal", KernelInitializer::he_normal}});
/// Of a layer that is nothing but its activation.
constexpr auto lone_activations = choice<Activation>({{"relu", Activation::relu},
                                                      {"tanh", Activation::tanh},
                                                      {"sigmoid", Activation::sigmoid},
                                                      {"softmax", Activation::softmax}});

/// The type chooses the alternative, with its defaults.
struct LayerType {
    enum class Type {
        conv2d,
        dense,
        max_pool,
        average_pool,
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
                                                {"dense", Type::dense},
                                                {"max_pool", Type::max_pool},
                                                {"average_pool", Type::average_pool},
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
            case Type::dense: return DenseLayer{};
            case Type::max_pool: return PoolLayer{.kind = PoolKind::max};
            case Type::average_pool: return PoolLayer{.kind = PoolKind::average};
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
    static Type type_of(const DenseLayer& /*layer*/) { return Type::dense; }
    static Type type_of(const PoolLayer& layer) {
        return layer.kind == PoolKind::max ? Type::max_pool : Type::average_pool;
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

template <typename Fields>
void declare(Fields& fields, Conv2dLayer& layer) {
    fields.required("filters", layer.filters, width);
    fields.required("kernel", layer.kernel, window);
    fields.field("stride", layer.stride, window);
    fields.field("padding", layer.padding, paddings);
    fields.field("activation", layer.activation, activations);
    fields.field("initializer", layer.initializer, initializers);
    fields.field("l2", layer.l2, l2_factor);
}

template <typename Fields>
void declare(Fields& fields, DenseLayer& layer) {
    fields.required("units", layer.units, width);
    fields.field("activation", layer.activation, activations);
    fields.field("initializer", layer.initializer, initializers);
    fields.field("l2", layer.l2, l2_factor);
}

template <typename Fields>
void declare(Fields& fields, PoolLayer& layer) {
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

/// A list of values that one codec reads.
template <typename T, typename Codec>
struct ListOf {
    Codec codec;
    std::size_t most;

    [[nodiscard]] std::vector<T> read(const json& found, const Place& place) const {
        if (!found.is_array() || found.size() > most) place.refuse(found, expected());
        std::vector<T> values;
        for (std::size_t i = 0; i < found.size(); ++i) values.push_back(codec.read(found[i], place.item(i)));
        return values;
    }
    [[nodiscard]] json write(const std::vector<T>& values) const {
        json list = json::array();
        for (const auto& value : values) list.push_back(codec.write(value));
        return list;
    }
    [[nodiscard]] std::string expected() const {
        return fmt::format("a list of at most {}: {} each", most, codec.expected());
    }
};

constexpr ListOf<std::string, Identifier> layer_names{Identifier{{"_"}}, 64};
constexpr ListOf<std::int64_t, Integer> widths{width, 8};

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

namespace {

struct LayerList {
    [[nodiscard]] std::vector<LayerSpec> read(const json& found, const Place& place) const {
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
    [[nodiscard]] json write(const std::vector<LayerSpec>& layers) const {
        json list = json::array();
        for (const auto& layer : layers) list.push_back(Section<LayerSpec>{}.write(layer));
        return list;
    }
    [[nodiscard]] std::string expected() const {
        return fmt::format("a list of 1 to {} layers", most_layers);
    }
};

struct InputShape {
    [[nodiscard]] Shape read(const json& found, const Place& place) const {
        if (!found.is_array() || found.size() != 3) place.refuse(found, expected());
        std::vector<std::int64_t> extents;
        for (std::size_t i = 0; i < found.size(); ++i) {
            extents.push_back(Integer{1, 1 << 16}.read(found[i], place.item(i)));
        }
        Shape shape(extents);
        if (shape.elements() > most_input_elements) {
            place.fail(
                fmt::format("found {}, expected at most {} elements", shape.text(), most_input_elements));
        }
        return shape;
    }
    [[nodiscard]] json write(const Shape& shape) const { return shape.extents(); }
    [[nodiscard]] std::string expected() const { return "a list of 3 integers: channels, height, width"; }
};

/// One shape, or an object with one for each named input. What both could say is written the first way, so
/// that both have one run identity.
struct InputShapes {
    static constexpr InputShape shape{};

    [[nodiscard]] ExampleShape read(const json& found, const Place& place) const {
        if (found.is_array()) return shape.read(found, place);
        if (!found.is_object() || found.empty() || found.size() > most_inputs)
            place.refuse(found, expected());
        std::vector<Input> inputs;
        for (const auto& [name, extents] : found.items()) {
            const auto where = place.key(name);
            if (name == labels_name) where.fail("expected another name for an input");
            inputs.push_back({Identifier{{"_"}}.read(name, where), shape.read(extents, where)});
        }
        ExampleShape whole(std::move(inputs));
        if (whole.elements() > most_input_elements) {
            place.fail(fmt::format("found {} elements in all, expected at most {}", whole.elements(),
                                   most_input_elements));
        }
        return whole;
    }
    [[nodiscard]] json write(const ExampleShape& inputs) const {
        if (!inputs.named()) return shape.write(inputs.image());
        auto object = json::object();
        for (const auto& input : inputs.inputs()) object[input.name] = shape.write(input.shape);
        return object;
    }
    [[nodiscard]] std::string expected() const {
        return fmt::format("{}, or an object with one such list for each of 1 to {} inputs", shape.expected(),
                           most_inputs);
    }
};

/// The zoo knows which names there are, and what "inline" would be is given by its layers.
struct ModelName {
    static constexpr Identifier identifier{{"_-"}};
    [[nodiscard]] std::string read(const json& found, const Place& place) const {
        auto name = identifier.read(found, place);
        if (name == inline_name) place.refuse(found, "the name of a model, or \"input\" and \"layers\"");
        return name;
    }
    [[nodiscard]] json write(const std::string& name) const { return identifier.write(name); }
    [[nodiscard]] std::string expected() const { return identifier.expected(); }
};

struct NamedModel {
    ModelSpec model;
};

template <typename Fields>
void declare(Fields& fields, NamedModel& named) {
    fields.required("name", named.model.name, ModelName{});
    fields.field("depth", named.model.depth, OrNull{Integer{1, 10'000}});
    fields.field("filters", named.model.filters, widths);
    fields.field("kernel", named.model.kernel, OrNull{window});
    fields.field("batch_norm_momentum", named.model.batch_norm_momentum, OrNull{batch_norm_momentum});
}

struct InlineModel {
    ModelSpec model{.name = std::string(inline_name), .input = {}, .layers = {}};
};

template <typename Fields>
void declare(Fields& fields, InlineModel& given) {
    fields.required("input", given.model.input, InputShapes{});
    fields.required("layers", given.model.layers, LayerList{});
}

constexpr Section<NamedModel> named_model{"name"};
constexpr Section<InlineModel> inline_model{};

}  // namespace

ModelSpec ModelCodec::read(const json& found, const Place& place) const {
    if (!found.is_string() && !found.is_object()) place.refuse(found, expected());
    const bool has_layers = found.is_object() && (found.contains("layers") || found.contains("input"));
    return has_layers ? inline_model.read(found, place).model : named_model.read(found, place).model;
}

json ModelCodec::write(const ModelSpec& model) const {
    return model.layers.empty() ? named_model.write({model}) : inline_model.write({model});
}

std::string ModelCodec::expected() const {
    return "the name of a model, or an object with \"name\", or with \"input\" and \"layers\"";
}

}  // namespace convoy
