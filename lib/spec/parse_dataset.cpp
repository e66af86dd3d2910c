#include <fmt/format.h>

#include "spec/codecs.hpp"
#include "spec/fields.hpp"
#include "spec/sections.hpp"

namespace convoy {
namespace {

using nlohmann::json;

constexpr Integer example_count{1, INT32_MAX};
constexpr auto layouts =
    choice<ImageLayout>({{"nchw", ImageLayout::channels_first}, {"nhwc", ImageLayout::channels_last}});

/// The path of one file, or a list of such; written as a list, so that both forms have one run identity.
struct PathList {
    static constexpr std::size_t most = 1000;

    [[nodiscard]] std::vector<std::string> read(const json& found, const Place& place) const {
        if (found.is_string()) return {FilePath{}.read(found, place)};
        if (!found.is_array() || found.empty() || found.size() > most) place.refuse(found, expected());
        std::vector<std::string> paths;
        for (std::size_t i = 0; i < found.size(); ++i)
            paths.push_back(FilePath{}.read(found[i], place.item(i)));
        return paths;
    }
    [[nodiscard]] json write(const std::vector<std::string>& paths) const { return paths; }
    [[nodiscard]] std::string expected() const {
        return fmt::format("the path of a file or a list of 1 to {} paths", most);
    }
};

template <typename Fields>
void declare(Fields& fields, NpySpec& npy) {
    fields.required("images", npy.images, PathList{});
    fields.required("labels", npy.labels, PathList{});
    fields.field("test_images", npy.test_images, OrNull{PathList{}});
    fields.field("test_labels", npy.test_labels, OrNull{PathList{}});
    fields.field("test_fraction", npy.test_fraction, OrNull{Number{0.0, 1.0, Number::Without::both}});
    fields.field("split_seed", npy.split_seed, any_seed);
    fields.field("layout", npy.layout, layouts);
    fields.field("scale", npy.scale, OrNull{Number{0.0, 1e30, Number::Without::low}});
    fields.field("classes", npy.classes, OrNull{Integer{1, 65536}});
}

}  // namespace

/// The name chooses which fields there are. Outside the unnamed namespace, so that Section finds it.
template <typename Fields>
void declare(Fields& fields, DatasetSpec& dataset) {
    fields.required("name", dataset.name, Identifier{"_-"});
    fields.field("train_examples", dataset.train_examples, OrNull{example_count});
    fields.field("test_examples", dataset.test_examples, OrNull{example_count});
    fields.field("validation_fraction", dataset.validation_fraction, Number{0.0, 1.0, Number::Without::high});
    fields.field("subtract_mean", dataset.subtract_mean, Flag{});
    if (dataset.name != npy_dataset) return;
    if (!dataset.npy) dataset.npy.emplace();
    declare(fields, *dataset.npy);
}

namespace {
constexpr Section<DatasetSpec> section{};
}  // namespace

DatasetSpec DatasetCodec::read(const json& found, const Place& place) const {
    return section.read(found, place);
}
json DatasetCodec::write(const DatasetSpec& dataset) const {
    return section.write(dataset);
}
std::string DatasetCodec::expected() const {
    return section.expected();
}

}  // namespace convoy
