#include "spec/array_rules.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {
namespace {

/// A quantity is a column of predictions.csv and a part of names of files, beside others.
void check_label_scale(const NpySpec& dataset, const Place& place) {
    constexpr std::array<std::string_view, 5> taken{"example", "label", "labels", "predicted", "probability"};
    const auto& quantity = dataset.label_scale->quantity;
    const bool is_input = std::ranges::count(dataset.inputs, quantity, &NpyInput::name) > 0;
    if (is_input || std::ranges::count(taken, quantity) > 0)
        place.key("quantity").refuse(quantity, "another name, which no input and no column has");
}

/// Each array of an HDF5 dataset needs the name of a file on this machine, and its own in the file.
void check_places(const NpySpec& arrays, const Place& place) {
    const auto check = [&](const std::vector<std::string>& paths, const Place& where) {
        for (const auto& path : paths) {
            const auto found = array_place(path, arrays.format);
            if (!found || is_address(path) || is_address(found->file))
                where.refuse(path, "FILE:/NAME, an array of this name in an HDF5 file on this machine");
        }
    };
    const bool named = arrays.named();
    for (const auto& input : arrays.inputs) {
        const auto own = place.key("inputs").key(input.name);
        check(input.files, named ? own.key("files") : place.key("images"));
        if (input.test_files)
            check(*input.test_files, named ? own.key("test_files") : place.key("test_images"));
    }
    check(arrays.labels, place.key("labels"));
    if (arrays.test_labels) check(*arrays.test_labels, place.key("test_labels"));
}

}  // namespace

void check_arrays(const NpySpec& arrays, const Place& place) {
    if (arrays.format == ArrayFormat::hdf5) check_places(arrays, place);
    if (arrays.label_scale) check_label_scale(arrays, place.key("label_scale"));
}

}  // namespace convoy
