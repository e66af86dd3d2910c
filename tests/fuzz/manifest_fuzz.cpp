// The manifest of a dataset: whatever it holds, it is refused, or its files can be looked for in a folder.

#include "base/error.hpp"
#include "data/manifest.hpp"
#include "files_of_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const convoy::fuzz::Folder folder("manifest_fuzz");
    const auto file = folder.path() / "manifest.json";
    convoy::fuzz::write(file, convoy::fuzz::text_of_input(data, size));
    try {
        const auto manifest = convoy::read_manifest(file);
        convoy::verify_dataset(manifest, folder.path() / "data");
        convoy::files_present(manifest, folder.path() / "data");
    } catch (const convoy::DataError&) {
    }
    return 0;
}
