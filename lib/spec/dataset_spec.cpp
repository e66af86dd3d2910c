#include "spec/dataset_spec.hpp"

#include <algorithm>

namespace convoy {
namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool any_address(const std::vector<std::string>& files) {
    return std::ranges::any_of(files, is_address);
}

bool any_address(const std::optional<std::vector<std::string>>& files) {
    return files && any_address(*files);
}

}  // namespace

bool is_address(std::string_view text) {
    const auto end = text.find("://");
    if (end == std::string_view::npos || end == 0 || !is_letter(text.front())) return false;
    return std::ranges::all_of(text.substr(0, end), [](char c) {  // of a scheme, by RFC 3986
        return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
    });
}

std::optional<ArrayPlace> array_place(const std::string& text, ArrayFormat format) {
    if (format == ArrayFormat::npy) return ArrayPlace{.file = text};
    const auto colon = text.rfind(":/");
    if (colon == std::string::npos || colon == 0 || colon + 2 == text.size()) return std::nullopt;
    return ArrayPlace{.file = text.substr(0, colon), .name = text.substr(colon + 1)};
}

bool DatasetSpec::has_addresses() const {
    if (source) return true;
    if (!npy) return false;
    const auto in_input = [](const NpyInput& input) {
        return any_address(input.files) || any_address(input.test_files);
    };
    return any_address(npy->labels) || any_address(npy->test_labels) ||
           std::ranges::any_of(npy->inputs, in_input);
}

}  // namespace convoy
