#include "data/idx_files.hpp"

#include <zlib.h>

#include <stdexcept>

namespace convoy::test {

std::string idx_bytes(std::initializer_list<std::uint32_t> extents, std::string_view elements) {
    std::string bytes{'\0', '\0', '\x08', static_cast<char>(extents.size())};
    for (const auto extent : extents) {
        for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(extent >> shift & 0xFFU);
    }
    return bytes.append(elements);
}

std::string gzipped(std::string_view content) {
    z_stream stream{};
    if (::deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        throw std::runtime_error("deflateInit2");
    }
    std::string out(::deflateBound(&stream, content.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
    stream.avail_in = static_cast<uInt>(content.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int state = ::deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    ::deflateEnd(&stream);
    if (state != Z_STREAM_END) throw std::runtime_error("deflate");
    return out;
}

std::string pattern(std::size_t count, int modulus) {
    std::string elements;
    for (std::size_t i = 0; i < count; ++i) elements += static_cast<char>((i * 7 + i / 784) % modulus);
    return elements;
}

void write_small_dataset(const TemporaryFolder& folder, const std::string& name, bool gzip) {
    const auto write = [&](const std::string& file, const std::string& content) {
        folder.write(name + "/" + file + (gzip ? ".gz" : ""), gzip ? gzipped(content) : content);
    };
    write("train-images-idx3-ubyte", idx_bytes({20, 28, 28}, pattern(20 * 784)));
    write("train-labels-idx1-ubyte", idx_bytes({20}, pattern(20, 10)));
    write("t10k-images-idx3-ubyte", idx_bytes({6, 28, 28}, pattern(6 * 784, 199)));
    write("t10k-labels-idx1-ubyte", idx_bytes({6}, pattern(6, 10)));
}

}  // namespace convoy::test
