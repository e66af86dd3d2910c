#include "data/npy_files.hpp"

#include <fmt/format.h>

namespace convoy::test {

std::filesystem::path numpy_file(const std::string& name) {
    return std::filesystem::path(CONVOY_NUMPY_FILES) / (name + ".npy");
}

std::string npy_bytes(std::string_view header, std::string_view elements) {
    const auto text = fmt::format("{}\n", header);
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(text.size() & 0xffU);
    bytes += static_cast<char>(text.size() >> 8U);
    return bytes + text + std::string(elements);
}

std::string npy_array(std::string_view descr, std::string_view shape, std::string_view elements) {
    return npy_bytes(fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}", descr, shape),
                     elements);
}

}  // namespace convoy::test
