#include "data/data_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/path_text.hpp"
#include "data/cifar10.hpp"
#include "data/dataset.hpp"
#include "data/digest.hpp"
#include "data/fetched_data.hpp"
#include "data/folders.hpp"
#include "data/idx_dataset.hpp"
#include "data/spectrum_templates.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> idx_files(const fs::path& folder) {
    std::vector<fs::path> found;
    for (const auto& [images, labels] : {idx_train_files, idx_test_files}) {
        for (const auto* name : {images, labels})
            if (auto file = existing_form(folder / name)) found.push_back(*std::move(file));
    }
    return found;
}

std::vector<fs::path> cifar10_files(const fs::path& folder) {
    std::vector<fs::path> found;
    bool in_archive = false;
    const auto add = [&](std::string_view name) {
        if (auto file = existing_form(folder / name)) {
            found.push_back(*std::move(file));
        } else {
            in_archive = true;
        }
    };
    std::ranges::for_each(cifar10::train_files, add);
    std::ranges::for_each(cifar10::test_files, add);
    if (in_archive && is_there(folder / cifar10::archive)) found.push_back(folder / cifar10::archive);
    return found;
}

std::vector<fs::path> npy_files(const NpySpec& spec, const fs::path& folder) {
    std::vector<fs::path> found;
    const auto add = [&](const std::vector<std::string>& paths) {
        for (const auto& path : paths) {
            const auto file = folder / array_place(path, spec.format).value_or(ArrayPlace{.file = path}).file;
            // One HDF5 file may have several arrays.
            if (is_there(file) && std::ranges::count(found, file) == 0) found.push_back(file);
        }
    };
    for (const auto& input : spec.inputs) {
        add(input.files);
        if (input.test_files) add(*input.test_files);
    }
    add(spec.labels);
    if (spec.test_labels) add(*spec.test_labels);
    return found;
}

std::vector<fs::path> template_files(const SpectraSpec& spec, const fs::path& folder) {
    std::vector<fs::path> found;
    if (!spec.template_dir) return found;
    for (const auto* name : {template_flux_file, template_wavelength_file})
        if (auto file = folder / *spec.template_dir / name; is_there(file)) found.push_back(std::move(file));
    return found;
}

}  // namespace

std::vector<fs::path> data_files(const DatasetSpec& spec, const fs::path& data_folder) {
    if (spec.npy) return npy_files(*with_fetched_paths(spec, data_folder).npy, data_folder);
    if (spec.spectra) return template_files(*spec.spectra, data_folder);
    const auto& info = dataset_info(spec.name);
    if (info.generated) return {};
    const auto folder = folder_of_known(spec, data_folder);
    return info.name == "cifar10" ? cifar10_files(folder) : idx_files(folder);
}

// The time of the last change of the inode: no program can set it back, as it can that of the content.
DataDigests::Version DataDigests::version_of(const fs::path& file) {
    struct stat found {};
    if (::stat(file.c_str(), &found) != 0)
        throw MissingFileError(fmt::format("{}: {}", file.string(), std::strerror(errno)));
    return {.device = found.st_dev,
            .inode = found.st_ino,
            .bytes = static_cast<std::uint64_t>(found.st_size),
            .changed_ns = std::int64_t{found.st_ctim.tv_sec} * 1'000'000'000 + found.st_ctim.tv_nsec};
}

namespace {

/// The path of a file below the cache or the data folder, or else its whole path.
fs::path path_for_results(const fs::path& file, const fs::path& data_folder) {
    for (const auto& folder : {data_folder, fs::absolute(cache_folder(data_folder))}) {
        const auto below = file.lexically_relative(folder);
        if (!below.empty() && *below.begin() != "..") return below;
    }
    return file;
}

}  // namespace

std::vector<DataFile> DataDigests::of(const DatasetSpec& spec, const fs::path& data_folder) {
    std::vector<DataFile> all;
    for (const auto& file : data_files(spec, data_folder)) {
        const auto version = version_of(file);
        auto& known = known_[file];
        if (known.version != version) known = {version, digest_of_file(file, HashKind::sha256).hex};
        all.push_back({.file = text_of_path(path_for_results(file, data_folder)),
                       .bytes = version.bytes,
                       .sha256 = known.sha256});
    }
    return all;
}

}  // namespace convoy
