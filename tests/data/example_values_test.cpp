#include "data/example_values.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "data/idx_files.hpp"

using namespace convoy;
using namespace convoy::test;

TEST_CASE("bytes become numbers from 0 to 1") {
    std::vector<std::uint8_t> bytes(256);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
    std::vector<float> values(256);
    normalise(bytes, values);
    CHECK(values[0] == 0.0F);
    CHECK(values[255] == 1.0F);
    for (std::size_t i = 0; i < 256; ++i)
        CHECK(values[i] == Approx(static_cast<double>(i) / 255.0).margin(1e-7));
}

TEST_CASE("examples of any size are the same from memory and from a file") {
    for (const std::size_t size : {1U, 784U, 4096U, 4097U, 12288U, 10000U}) {
        CAPTURE(size);
        const auto content = pattern(3 * size);
        const TemporaryFolder folder;
        const BytesInFile file(ReadOnlyFile(folder.write("values", "header" + content)), 6);
        const BytesInMemory memory({content.begin(), content.end()}, size);
        for (const std::uint32_t example : {0U, 2U}) {
            std::vector<float> from_file(size), from_memory(size);
            file.read(example, from_file);
            memory.read(example, from_memory);
            CHECK(from_file == from_memory);
        }
        std::vector<float> beyond(size);
        CHECK_THROWS_AS(file.read(3, beyond), DataError);
    }
}
