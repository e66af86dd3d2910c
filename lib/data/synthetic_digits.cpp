#include "data/synthetic_digits.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.hpp"
#include "data/digit_strokes.hpp"

namespace convoy {
namespace {

constexpr auto digit_side = static_cast<std::size_t>(synthetic_side);
constexpr auto image_pixels = digit_side * digit_side;

/// Elements of an example's random numbers: each use has a range of its own, so that none moves when another
/// grows.
enum DigitElement : std::uint32_t { digit_style_at = 0, digit_bend_at = 64, digit_noise_at = 1024 };

RandomStream stream_of(std::uint64_t seed, SyntheticSplit split) {
    return {seed, RandomPurpose::synthetic_data, static_cast<std::uint32_t>(split)};
}

/// How one example is written.
struct Style {
    std::array<double, 4> matrix;  ///< rotation, scale and shear: row by row
    Point shift;                   ///< pixels
    double pen;                    ///< half the stroke's width, pixels
    double ink;                    ///< 0 to 255
    double noise;                  ///< largest deviation of a pixel, 0 to 255
};

Style draw_style(const RandomStream& random, std::uint32_t example) {
    std::uint32_t element = digit_style_at;
    const auto between = [&](double low, double high) {
        return low + (high - low) * random.uniform(example, element++);
    };
    const auto angle = between(-0.3, 0.3);
    const auto shear = between(-0.35, 0.35);
    const auto width = between(6.5, 11.0);
    const auto height = between(8.5, 11.0);
    const auto c = std::cos(angle), s = std::sin(angle);
    return {{c * width, (c * shear - s) * height, s * width, (s * shear + c) * height},
            {between(-2.5, 2.5), between(-2.0, 2.0)},
            between(0.7, 1.7),
            between(180.0, 255.0),
            between(10.0, 50.0)};
}

/// A smooth random displacement of the plane: random shifts on a coarse grid, cubically eased between its
/// nodes.
class ElasticField {
  public:
    ElasticField(const RandomStream& random, std::uint32_t example) {
        for (std::uint32_t node = 0; node < nodes * nodes; ++node) {
            const auto shift = [&](std::uint32_t axis) {
                return strength * (2.0 * random.uniform(example, digit_bend_at + 2 * node + axis) - 1.0);
            };
            shifts_[node] = {shift(0), shift(1)};
        }
    }

    [[nodiscard]] Point moved(Point point) const {
        const auto horizontal = place(point.x), vertical = place(point.y);
        const auto* above = &shifts_[vertical.cell * nodes + horizontal.cell];
        const auto* below = above + nodes;
        const auto top = between(above[0], above[1], horizontal.part);
        const auto bottom = between(below[0], below[1], horizontal.part);
        const auto shift = between(top, bottom, vertical.part);
        return {point.x + shift.x, point.y + shift.y};
    }

  private:
    static constexpr std::size_t nodes = 4;   // over [-1, 1]
    static constexpr double strength = 0.22;  // largest shift of a node, in the plane of the strokes

    /// The grid cell that a coordinate falls in, and how far along in it, eased.
    struct Place {
        std::size_t cell;
        double part;
    };
    static Place place(double coordinate) {
        const auto position = std::clamp((coordinate + 1.0) / 2.0 * (nodes - 1), 0.0, nodes - 1.001);
        const auto cell = static_cast<std::size_t>(position);
        const auto part = position - static_cast<double>(cell);
        return {cell, part * part * (3.0 - 2.0 * part)};
    }
    static Point between(Point a, Point b, double part) {
        return {(1 - part) * a.x + part * b.x, (1 - part) * a.y + part * b.y};
    }

    std::array<Point, nodes * nodes> shifts_{};
};

double squared_distance(Point p, Point a, Point b) {
    const auto dx = b.x - a.x, dy = b.y - a.y;
    const auto length = dx * dx + dy * dy;
    const auto along =
        length > 0.0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0) : 0.0;
    const auto ex = p.x - a.x - along * dx, ey = p.y - a.y - along * dy;
    return ex * ex + ey * ey;
}

/// Lowers each pixel's squared distance from the pen's path to that from one piece of it, within reach of the
/// piece.
void trace(std::array<double, image_pixels>& distances, Point a, Point b, double reach) {
    const auto low = [&](double u, double v) {
        return static_cast<std::size_t>(
            std::clamp(std::floor(std::min(u, v) - reach), 0.0, double{digit_side}));
    };
    const auto high = [&](double u, double v) {
        return static_cast<std::size_t>(
            std::clamp(std::ceil(std::max(u, v) + reach) + 1.0, 0.0, double{digit_side}));
    };
    for (auto row = low(a.y, b.y); row < high(a.y, b.y); ++row) {
        for (auto column = low(a.x, b.x); column < high(a.x, b.x); ++column) {
            auto& distance = distances[row * digit_side + column];
            distance = std::min(distance, squared_distance({double(column), double(row)}, a, b));
        }
    }
}

/// Squared distance of each pixel's centre from the pen's path; a large number beyond reach.
std::array<double, image_pixels> distances_to_path(const std::vector<Stroke>& strokes, const Style& style,
                                                   const ElasticField& field) {
    constexpr double centre = (digit_side - 1) / 2.0;
    std::array<double, image_pixels> distances{};
    distances.fill(1e9);
    const auto on_paper = [&](Point point) {
        const auto [x, y] = field.moved(point);
        const auto& m = style.matrix;
        return Point{centre + style.shift.x + m[0] * x + m[1] * y,
                     centre + style.shift.y + m[2] * x + m[3] * y};
    };
    for (const auto& stroke : strokes) {
        auto last = on_paper(stroke.front());
        for (const auto point : stroke) {
            const auto next = on_paper(point);
            trace(distances, last, next, style.pen + 1.0);
            last = next;
        }
    }
    return distances;
}

/// Draws its pictures when they are read.
class DrawnDigits final : public ExampleValues {
  public:
    DrawnDigits(std::uint64_t seed, SyntheticSplit split) : seed_(seed), split_(split) {}
    void read(std::uint32_t example, std::span<float> into) const override {
        normalise(synthetic_image(seed_, split_, example), into);
    }

  private:
    std::uint64_t seed_;
    SyntheticSplit split_;
};

std::shared_ptr<const ExampleValues> drawn_now(std::uint64_t seed, SyntheticSplit split, std::int64_t count) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count) * image_pixels);
    for (std::size_t example = 0; example < static_cast<std::size_t>(count); ++example) {
        const auto image = synthetic_image(seed, split, static_cast<std::uint32_t>(example));
        std::copy(image.begin(), image.end(),
                  bytes.begin() + static_cast<std::ptrdiff_t>(example * image_pixels));
    }
    return std::make_shared<BytesInMemory>(std::move(bytes), image_pixels);
}

}  // namespace

std::int32_t synthetic_label(std::uint64_t seed, SyntheticSplit split, std::uint32_t example) {
    constexpr auto classes = static_cast<std::uint32_t>(synthetic_classes);
    // Labels draw from a layer of their own, so that they are independent of the pictures' numbers.
    const RandomStream random(seed, RandomPurpose::synthetic_data, 2 + static_cast<std::uint32_t>(split));
    const auto group = example / classes;
    std::array<std::int32_t, classes> order{};
    std::iota(order.begin(), order.end(), 0);
    for (std::uint32_t i = classes - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1, group, i)]);
    return order[example % classes];
}

SyntheticImage synthetic_image(std::uint64_t seed, SyntheticSplit split, std::uint32_t example) {
    const auto random = stream_of(seed, split);
    const auto style = draw_style(random, example);
    const auto distances = distances_to_path(digit_strokes(synthetic_label(seed, split, example)), style,
                                             ElasticField(random, example));
    SyntheticImage image{};
    for (std::size_t pixel = 0; pixel < image_pixels; ++pixel) {
        const auto coverage = std::clamp(style.pen + 0.5 - std::sqrt(distances[pixel]), 0.0, 1.0);
        const auto noise =
            2.0 * random.uniform(example, digit_noise_at + static_cast<std::uint32_t>(pixel)) - 1.0;
        image[pixel] = static_cast<std::uint8_t>(
            std::clamp(std::round(style.ink * coverage + style.noise * noise), 0.0, 255.0));
    }
    return image;
}

Dataset synthetic_digits(std::uint64_t seed, SyntheticSplit split, std::int64_t count, bool cache,
                         const DataWanted& wanted) {
    const ExampleShape shape{1, synthetic_side, synthetic_side};
    std::shared_ptr<const ExampleValues> values;
    if (wanted.values)
        values = cache ? drawn_now(seed, split, count) : std::make_shared<DrawnDigits>(seed, split);
    if (!wanted.labels) return Dataset::unlabelled(shape, synthetic_classes, count, std::move(values));
    std::vector<std::int32_t> labels(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < labels.size(); ++i) {
        labels[i] = synthetic_label(seed, split, static_cast<std::uint32_t>(i));
    }
    return {shape, synthetic_classes, std::move(labels), std::move(values)};
}

}  // namespace convoy
