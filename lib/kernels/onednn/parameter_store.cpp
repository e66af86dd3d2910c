#include "kernels/onednn/parameter_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/lack_of_memory.hpp"
#include "kernels/onednn/recipe.hpp"

namespace convoy::onednn {
namespace {

void reorder(const Desc& from_desc, std::byte* from, const Desc& to_desc, std::byte* to) {
    dnnl::memory source(from_desc, engine(), from);
    dnnl::memory target(to_desc, engine(), to);
    dnnl::stream stream(engine());
    dnnl::reorder(source, target).execute(stream, source, target);
    stream.wait();
}

std::int64_t checked_elements(const Layout& layout, std::size_t values) {
    const auto elements = layout.elements();
    if (static_cast<std::size_t>(elements) != values) {
        throw InternalError(fmt::format("{} values for a tensor of {}", values, elements));
    }
    return elements;
}

}  // namespace

void from_plain(std::span<const float> values, const Layout& layout, std::byte* data) {
    const auto bytes = static_cast<std::size_t>(checked_elements(layout, values.size())) * sizeof(float);
    AlignedBuffer rows(bytes);
    std::memcpy(rows.data(), values.data(), bytes);
    if (layout.columns) {
        AlignedBuffer ordered(layout.columns->get_size());
        reorder(plain(layout.columns->dims()), rows.data(), *layout.columns, ordered.data());
        std::swap(rows, ordered);
    }
    reorder(plain(layout.desc.dims()), rows.data(), layout.desc, data);
}

std::vector<float> to_plain(const Layout& layout, const std::byte* data) {
    std::vector<float> values(static_cast<std::size_t>(layout.elements()));
    AlignedBuffer rows(values.size() * sizeof(float));
    reorder(layout.desc, const_cast<std::byte*>(data), plain(layout.desc.dims()), rows.data());
    if (layout.columns) {
        AlignedBuffer ordered(values.size() * sizeof(float));
        reorder(*layout.columns, rows.data(), plain(layout.columns->dims()), ordered.data());
        std::swap(rows, ordered);
    }
    std::memcpy(values.data(), rows.data(), values.size() * sizeof(float));
    return values;
}

const Layout* ParameterStore::layout(const std::string& name) const {
    const auto found = entries_.find(name);
    return found == entries_.end() ? nullptr : &found->second.layout;
}

void ParameterStore::claim(const std::string& name, const Layout& layout, std::byte* at) {
    if (entries_.contains(name)) return;
    Entry entry{layout, {}, at};
    if (at == nullptr) {
        with_memory([&] { entry.own = AlignedBuffer(layout.bytes()); },
                    [&] { return fmt::format("{} of {} bytes", name, layout.bytes()); });
        entry.data = entry.own.data();
    }
    entries_.emplace(name, std::move(entry));
}

std::byte* ParameterStore::data(const std::string& name) const {
    return entry(name).data;
}

void ParameterStore::write(const std::string& name, std::span<const float> values) {
    from_plain(values, entry(name).layout, entry(name).data);
}

std::vector<float> ParameterStore::read(const std::string& name) const {
    return to_plain(entry(name).layout, entry(name).data);
}

std::string ParameterStore::text(std::span<const std::string> names) const {
    const auto is_plain = [&](const std::string& name) { return entry(name).layout.is_plain(); };
    if (std::ranges::all_of(names, is_plain)) return "plain";
    std::string all;
    for (const auto& name : names) all += fmt::format("{}: {}\n", name, entry(name).layout.text());
    return all;
}

const ParameterStore::Entry& ParameterStore::entry(const std::string& name) const {
    const auto found = entries_.find(name);
    if (found == entries_.end()) throw InternalError(fmt::format("no program has a tensor {}", name));
    return found->second;
}

}  // namespace convoy::onednn
