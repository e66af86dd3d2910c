#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/shape.hpp"

namespace convoy {

/// The name of the single input of a dataset or network, if the spec gives it no name.
inline constexpr std::string_view images_input = "images";

/// One array of an example, such as an image or a row of measurements.
struct Input {
    std::string name;
    Shape shape;  ///< shape in one example: C,H,W
    bool operator==(const Input&) const = default;
};

/// The inputs of one example. Their values lie side by side in this order, each in its own C,H,W order. Most
/// examples are one image, with the name `images_input`.
class ExampleShape {
  public:
    ExampleShape() = default;
    ExampleShape(const Shape& images) : inputs_{{std::string(images_input), images}} {}
    ExampleShape(std::initializer_list<std::int64_t> images) : ExampleShape(Shape(images)) {}
    explicit ExampleShape(std::vector<Input> inputs) : inputs_(std::move(inputs)) {}

    [[nodiscard]] const std::vector<Input>& inputs() const { return inputs_; }
    /// The shape of an example that is one image. Throws std::out_of_range if there is no input.
    [[nodiscard]] const Shape& image() const { return inputs_.at(0).shape; }
    /// Whether inputs have names of their own.
    [[nodiscard]] bool named() const {
        return inputs_.size() > 1 || (inputs_.size() == 1 && inputs_[0].name != images_input);
    }
    /// The number of values of one example, over all inputs. Throws SizeError if it does not fit 64 bits.
    [[nodiscard]] std::int64_t elements() const {
        Checked sum;
        for (const auto& input : inputs_) sum += input.shape.elements();
        return sum.value();
    }
    /// The shape as text: "1x28x28", or "image 3x32x32, magnitudes 1x1x5".
    [[nodiscard]] std::string text() const {
        if (!named()) return inputs_.empty() ? "nothing" : image().text();
        std::string joined;
        for (const auto& input : inputs_)
            joined += (joined.empty() ? "" : ", ") + input.name + " " + input.shape.text();
        return joined;
    }

    bool operator==(const ExampleShape&) const = default;

  private:
    std::vector<Input> inputs_;
};

}  // namespace convoy
