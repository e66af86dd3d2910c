#include <fmt/format.h>

#include "spec/codecs.hpp"
#include "spec/fields.hpp"
#include "spec/sections.hpp"

namespace convoy {
namespace {

using nlohmann::json;

constexpr Integer example_count{1, INT32_MAX};
constexpr Integer most_classes{1, 65536};
constexpr Number input_scale{0.0, 1e30, Number::Without::low};
constexpr std::string_view labels_key = "labels";  // what networks call their other tensor from outside
constexpr auto image_layouts = choice<ImageLayout>({{"nchw", ImageLayout::channels_first},
                                                    {"nhwc", ImageLayout::channels_last},
                                                    {"ncl", ImageLayout::sequence_channels_first},
                                                    {"nlc", ImageLayout::sequence_channels_last}});

/// The path or the address of one file, or a list of such; written as a list, so that both forms have one run
/// identity.
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
    [[nodiscard]] json write(const std::vector<std::string>& paths) const {
        auto list = json::array();
        for (const auto& path : paths) list.push_back(FilePath{}.write(path));
        return list;
    }
    [[nodiscard]] std::string expected() const {
        return fmt::format("the path of a file or a list of 1 to {} paths", most);
    }
};

}  // namespace

// Outside the unnamed namespace, so that Section finds it.
template <typename Fields>
void declare(Fields& fields, NpyInput& input) {
    fields.required("files", input.files, PathList{});
    fields.field("test_files", input.test_files, OrNull{PathList{}});
    fields.field("layout", input.layout, image_layouts);
    fields.field("scale", input.scale, OrNull{input_scale});
}

template <typename Fields>
void declare(Fields& fields, LabelScale& scale) {
    constexpr double most = 1e30;
    fields.required("quantity", scale.quantity, Identifier{{"_"}});
    fields.required("first", scale.first, Number{-most, most});
    fields.required("width", scale.width, Number{0.0, most, Number::Without::low});
    fields.field("outlier_bound", scale.outlier_bound, Number{0.0, most});
    fields.field("outlier_offset", scale.outlier_offset, Number{-most, most});
}

namespace {

/// An object with one entry for each input, by its name: its files, or an object that says more.
struct NpyInputs {
    static constexpr std::size_t most = 64;

    [[nodiscard]] std::vector<NpyInput> read(const json& found, const Place& place) const {
        if (!found.is_object() || found.empty() || found.size() > most) place.refuse(found, expected());
        std::vector<NpyInput> inputs;
        for (const auto& [name, content] : found.items()) {
            const auto where = place.key(name);
            if (name == labels_key) where.fail("expected another name for an input");
            auto& input = inputs.emplace_back(read_input(content, where));
            input.name = Identifier{{"_"}}.read(name, where);
        }
        return inputs;
    }
    [[nodiscard]] json write(const std::vector<NpyInput>& inputs) const {
        auto object = json::object();
        for (const auto& input : inputs) object[input.name] = Section<NpyInput>{}.write(input);
        return object;
    }
    [[nodiscard]] std::string expected() const {
        return fmt::format("an object with the files of each of 1 to {} inputs", most);
    }

  private:
    static NpyInput read_input(const json& found, const Place& place) {
        if (found.is_object()) return Section<NpyInput>{}.read(found, place);
        NpyInput input;
        input.files = PathList{}.read(found, place);
        return input;
    }
};

/// Inputs with names, or the fields of the one that has none. What both could say is written the second way,
/// so that both have one run identity.
template <typename Fields>
void declare_inputs(Fields& fields, NpySpec& npy) {
    bool named = npy.named();
    if constexpr (Fields::reads) named = fields.has("inputs");
    if (named) return fields.required("inputs", npy.inputs, NpyInputs{});
    auto& images = npy.inputs.front();
    fields.required("images", images.files, PathList{});
    fields.field("test_images", images.test_files, OrNull{PathList{}});
    fields.field("layout", images.layout, image_layouts);
    fields.field("scale", images.scale, OrNull{input_scale});
}

template <typename Fields>
void declare(Fields& fields, NpySpec& npy) {
    declare_inputs(fields, npy);
    fields.required("labels", npy.labels, PathList{});
    fields.field("test_labels", npy.test_labels, OrNull{PathList{}});
    fields.field("test_fraction", npy.test_fraction, OrNull{Number{0.0, 1.0, Number::Without::both}});
    fields.field("split_seed", npy.split_seed, any_seed);
    fields.field("classes", npy.classes, OrNull{most_classes});
    fields.field("label_scale", npy.label_scale, OrNull{Section<LabelScale>{}});
    fields.field("chunk_cache_bytes", npy.chunk_cache_bytes, Integer{0, std::int64_t{1} << 40U});
}

template <typename Fields>
void declare(Fields& fields, SpectraSpec& spectra) {
    fields.field("classes", spectra.classes, most_classes);
    fields.field("signal_to_noise", spectra.signal_to_noise, OrNull{Number{1e-3, 1e6}});
    fields.field("template_dir", spectra.template_dir, OrNull{FilePath{}});
    fields.field("seed", spectra.seed, OrNull{any_seed});
}

}  // namespace

namespace {

/// The address of a folder. The code that fetches from it checks more.
struct FolderAddress {
    static constexpr std::size_t longest = 2048;

    [[nodiscard]] std::string read(const json& found, const Place& place) const {
        if (!found.is_string()) place.refuse(found, expected());
        const auto& text = found.get_ref<const std::string&>();
        if (!is_address(text) || text.size() > longest) place.refuse(found, expected());
        return text;
    }
    [[nodiscard]] json write(const std::string& value) const { return value; }
    [[nodiscard]] std::string expected() const { return "the address of a folder, as in http://HOST/FOLDER"; }
};

}  // namespace

/// The name chooses which fields there are. Outside the unnamed namespace, so that Section finds it.
template <typename Fields>
void declare(Fields& fields, DatasetSpec& dataset) {
    fields.required("name", dataset.name, Identifier{{"_-"}});
    fields.field("train_examples", dataset.train_examples, OrNull{example_count});
    fields.field("test_examples", dataset.test_examples, OrNull{example_count});
    fields.field("validation_fraction", dataset.validation_fraction, Number{0.0, 1.0, Number::Without::high});
    fields.field("subtract_mean", dataset.subtract_mean, Flag{});
    if (dataset.name == spectra_dataset) {
        if (!dataset.spectra) dataset.spectra.emplace();
        declare(fields, *dataset.spectra);
    }
    if (!is_of_arrays(dataset.name) && dataset.name != spectra_dataset)
        fields.field("source", dataset.source, OrNull{FolderAddress{}});
    if (!is_of_arrays(dataset.name)) return;
    if (!dataset.npy) dataset.npy.emplace();
    if constexpr (Fields::reads)
        dataset.npy->format = dataset.name == hdf5_dataset ? ArrayFormat::hdf5 : ArrayFormat::npy;
    declare(fields, *dataset.npy);
}

namespace {
constexpr Section<DatasetSpec> dataset_section{};
}  // namespace

DatasetSpec DatasetCodec::read(const json& found, const Place& place) const {
    return dataset_section.read(found, place);
}
json DatasetCodec::write(const DatasetSpec& dataset) const {
    return dataset_section.write(dataset);
}
std::string DatasetCodec::expected() const {
    return dataset_section.expected();
}

}  // namespace convoy
