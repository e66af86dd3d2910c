#include <fmt/format.h>

#include "spec/codecs.hpp"
#include "spec/fields.hpp"
#include "spec/layer_bounds.hpp"
#include "spec/sections.hpp"

namespace convoy {
namespace {

using nlohmann::json;

constexpr std::size_t most_inputs = 64;
constexpr std::string_view labels_name = "labels";  // what networks call their other tensor from outside
constexpr std::string_view inline_name = "inline";
constexpr std::int64_t most_input_elements = std::int64_t{1} << 26;
constexpr ListOf<std::int64_t, Integer> widths{width, 8};

/// A sequence C,L is an image C,1,L.
struct InputShape {
    [[nodiscard]] Shape read(const json& found, const Place& place) const {
        if (!found.is_array() || (found.size() != 2 && found.size() != 3)) place.refuse(found, expected());
        std::vector<std::int64_t> extents;
        for (std::size_t i = 0; i < found.size(); ++i) {
            extents.push_back(Integer{1, 1 << 16}.read(found[i], place.item(i)));
        }
        if (extents.size() == 2) extents.insert(extents.begin() + 1, 1);
        Shape shape(extents);
        if (shape.elements() > most_input_elements) {
            place.fail(
                fmt::format("found {}, expected at most {} elements", shape.text(), most_input_elements));
        }
        return shape;
    }
    [[nodiscard]] json write(const Shape& shape) const { return shape.extents(); }
    [[nodiscard]] std::string expected() const {
        return "a list of 3 integers (channels, height, width) or of 2 (channels, length)";
    }
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
    fields.field("classes", named.model.classes, OrNull{Integer{1, 65536}});
}

struct InlineModel {
    ModelSpec model{.name = std::string(inline_name), .input = {}, .layers = {}};
};

template <typename Fields>
void declare(Fields& fields, InlineModel& given) {
    fields.required("input", given.model.input, InputShapes{});
    fields.required("layers", given.model.layers, LayerListCodec{});
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
