#include "base/html_text.hpp"

#include "base/printable.hpp"

namespace convoy {

std::string html_escaped(std::string_view text) {
    std::string escaped;
    for (const char letter : printable_lines(text)) {
        switch (letter) {
            case '&': escaped += "&amp;"; break;
            case '<': escaped += "&lt;"; break;
            case '>': escaped += "&gt;"; break;
            case '"': escaped += "&quot;"; break;
            case '\'': escaped += "&#39;"; break;
            default: escaped += letter;
        }
    }
    return escaped;
}

}  // namespace convoy
