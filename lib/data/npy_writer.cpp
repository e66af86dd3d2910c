#include "data/npy_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "base/error.hpp"

namespace convoy {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are written as they are in memory");

constexpr std::size_t header_multiple = 64;

npy::TypeName name_of(NpyType type) {
    return ArrayForm{.type = type}.type_name();
}

}  // namespace

std::string npy_header(NpyType type, const Shape& shape) {
    std::string extents;
    for (const auto extent : shape) extents += fmt::format("{}{}", extents.empty() ? "" : ", ", extent);
    if (shape.rank() == 1) extents += ',';
    auto text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", name_of(type).descr,
                            extents);
    const auto before = npy::magic.size() + npy::version_bytes + npy::short_length_bytes;
    const auto whole = (before + text.size() + 1 + header_multiple - 1) / header_multiple * header_multiple;
    text.append(whole - before - text.size() - 1, ' ');
    text += '\n';
    std::string header(npy::magic);
    header += '\x01';
    header += '\0';
    header += static_cast<char>(text.size() % 256);
    header += static_cast<char>(text.size() / 256);
    return header + text;
}

NpyWriter::NpyWriter(std::filesystem::path file, NpyType type, const Shape& shape)
    : file_(std::move(file)),
      element_bytes_(name_of(type).bytes),
      missing_(static_cast<std::uint64_t>(shape.elements())),
      output_(name_of_new(file_), OutputFile::Open::fresh) {
    output_.write(npy_header(type, shape));
}

void NpyWriter::write_bytes(std::span<const std::byte> bytes, std::size_t element_bytes) {
    const auto count = bytes.size() / element_bytes;
    if (element_bytes != element_bytes_ || count > missing_)
        throw InternalError(fmt::format("{}: {} elements of {} bytes where {} of {} are missing",
                                        file_.string(), count, element_bytes, missing_, element_bytes_));
    missing_ -= count;
    output_.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void NpyWriter::finish() {
    if (missing_ != 0)
        throw InternalError(fmt::format("{}: {} elements are missing", file_.string(), missing_));
    output_.sync();
    publish_new(file_);
}

namespace {

/// The values of all inputs, each example read once.
void write_inputs(const Dataset& dataset, const std::filesystem::path& folder, const std::string& split,
                  std::vector<std::string>& names) {
    const auto& inputs = dataset.example_shape().inputs();
    std::vector<std::unique_ptr<NpyWriter>> files;
    for (const auto& input : inputs) {
        names.push_back(fmt::format("{}_{}.npy", split, input.name));
        files.push_back(std::make_unique<NpyWriter>(folder / names.back(), NpyType::f4,
                                                    input.shape.with_batch(dataset.size())));
    }
    std::vector<float> example(static_cast<std::size_t>(dataset.example_shape().elements()));
    for (std::int64_t i = 0; i < dataset.size(); ++i) {
        dataset.read(static_cast<std::uint32_t>(i), example);
        auto rest = std::span<const float>(example);
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            const auto count = static_cast<std::size_t>(inputs[k].shape.elements());
            files[k]->write(rest.first(count));
            rest = rest.subspan(count);
        }
    }
    for (const auto& file : files) file->finish();
}

template <typename T>
void write_one(const std::filesystem::path& file, NpyType type, std::span<const T> elements) {
    NpyWriter writer(file, type, {std::ssize(elements)});
    writer.write(elements);
    writer.finish();
}

}  // namespace

std::vector<std::string> write_arrays(const Dataset& dataset, const std::filesystem::path& folder,
                                      const std::string& split) {
    std::vector<std::string> names;
    write_inputs(dataset, folder, split, names);
    names.push_back(split + "_labels.npy");
    write_one(folder / names.back(), NpyType::i4, dataset.labels());
    const auto& scale = dataset.label_scale();
    if (!scale) return names;
    if (std::ranges::find(names, fmt::format("{}_{}.npy", split, scale->quantity)) != names.end())
        throw DataError(fmt::format("the quantity {} has the name of another array", scale->quantity));
    std::vector<double> quantities;
    for (std::int64_t i = 0; i < dataset.size(); ++i)
        quantities.push_back(dataset.quantity(static_cast<std::uint32_t>(i)));
    names.push_back(fmt::format("{}_{}.npy", split, scale->quantity));
    write_one(folder / names.back(), NpyType::f8, std::span<const double>(quantities));
    return names;
}

}  // namespace convoy
