#include "chart/text_width.hpp"

namespace convoy {

namespace {

constexpr std::string_view ellipsis = "…";
constexpr double ellipsis_width = 1.0;  // parts of the letters' height, as are all widths here

/// The width of the character that begins with this byte; 0 for the bytes behind the first.
double width_from(unsigned char byte) {
    constexpr unsigned char first_of_two = 0xC0, first_of_three = 0xE0, punctuation = 0xE2;
    constexpr std::string_view narrow = "ijlI.,:;'|!()[]/\\ ", medium = "ftrJ-\"{}*", wide = "mwMW@%+<>=~";
    constexpr double narrow_width = 0.46, medium_width = 0.5, letter = 0.65, capital = 0.8, widest = 1.1,
                     wide_script = 1.3;
    if (byte >= first_of_three && byte != punctuation) return wide_script;
    if (byte >= first_of_two) return ellipsis_width;
    if (byte >= 0x80U) return 0.0;
    const auto character = static_cast<char>(byte);
    if (narrow.find(character) != std::string_view::npos) return narrow_width;
    if (medium.find(character) != std::string_view::npos) return medium_width;
    if (wide.find(character) != std::string_view::npos) return widest;
    return character >= 'A' && character <= 'Z' ? capital : letter;
}

}  // namespace

double text_width(std::string_view text) {
    double width = 0.0;
    for (const char byte : text) width += width_from(static_cast<unsigned char>(byte));
    return width * chart_text_height;
}

std::string shortened_to(std::string_view text, double width) {
    if (text_width(text) <= width) return std::string(text);
    const double room = width / chart_text_height - ellipsis_width;
    double taken = 0.0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        taken += width_from(static_cast<unsigned char>(text[at]));
        if (taken > room) return std::string(text.substr(0, at)).append(ellipsis);
    }
    return std::string(text);
}

}  // namespace convoy
