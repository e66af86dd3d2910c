#include "train/weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/version.hpp"
#include "nn/initial_values.hpp"
#include "tensor/tensor_parts.hpp"

namespace convoy {

namespace {

/// The tensors of a network that training changes.
enum class Kept : std::uint8_t { parameters, all };

/// A tensor of a file, and the part of it that the node holds.
struct WantedTensor {
    TensorInfo info;
    std::optional<TensorSlice> part;
};

std::vector<WantedTensor> tensors_of(HeldParameters parameters, Kept kept) {
    std::vector<WantedTensor> tensors;
    for (const auto& parameter : parameters) {
        tensors.push_back({parameter.value, parameter.part});
        if (kept == Kept::parameters) continue;
        for (const auto& slot : parameter.slots) tensors.push_back({slot, parameter.part});
        if (parameter.residual) tensors.push_back({*parameter.residual, parameter.part});
    }
    return tensors;
}

std::vector<std::byte> get(const Backend& backend, HeldParameters parameters, Kept kept) {
    std::vector<PartPlace> parts;
    for (const auto& [info, part] : tensors_of(parameters, kept))
        if (part) parts.push_back({info.name, info.shape, *part});
    const auto put = [&](std::size_t position, std::span<std::byte> room) {
        put_floats(backend.read(parts[position].name), room);
    };
    return encode_parts(parts, put, {{"producer", fmt::format("convoy {}", version())}});
}

/// Gives the back-end the part that it holds of a tensor in a file. Throws DataError if the file has another
/// part.
void put(Backend& backend, const WantedTensor& wanted, const TensorPart& found, const std::string& source) {
    const auto& [info, part] = wanted;
    if (found.whole != info.shape) {
        throw DataError(fmt::format("{}: {} is {}, the network's is {}", source, info.name,
                                    found.whole.text(), info.shape.text()));
    }
    if (!part) return;
    if (found.slice == *part) return backend.write(info.name, found.values);
    if (!is_whole(found.slice, found.whole))
        throw DataError(fmt::format("{}: has another part of {} than this node", source, info.name));
    backend.write(info.name, cut_slice(found.values, *part, info.shape));
}

void set(Backend& backend, std::span<const WantedTensor> wanted, std::span<const TensorPart> parts,
         const std::string& source) {
    std::map<std::string_view, const TensorPart*> by_name;
    for (const auto& part : parts) by_name.emplace(part.name, &part);
    for (const auto& each : wanted) {
        const auto found = by_name.find(each.info.name);
        if (found != by_name.end()) {
            put(backend, each, *found->second, source);
        } else if (each.info.role != TensorRole::residual) {
            throw DataError(fmt::format("{}: has no tensor {}", source, each.info.name));
        }
    }
}

}  // namespace

void set_weights(Backend& backend, HeldParameters parameters, std::span<const std::byte> safetensors,
                 const std::string& source) {
    const auto wanted = tensors_of(parameters, Kept::parameters);
    std::vector<TensorPart> parts;
    for (auto& tensor : decode_safetensors(safetensors, source))
        parts.push_back(whole_part(std::move(tensor)));
    set(backend, wanted, parts, source);
    if (parts.size() != wanted.size()) {
        throw DataError(fmt::format("{}: holds {} tensors, the network has {} parameters", source,
                                    parts.size(), wanted.size()));
    }
}

void set_training_tensors(Backend& backend, HeldParameters parameters, std::span<const std::byte> safetensors,
                          const std::string& source) {
    set(backend, tensors_of(parameters, Kept::all), decode_parts(safetensors, source), source);
}

void set_initial_weights(Backend& backend, HeldParameters parameters, const ExperimentSpec& spec) {
    if (spec.initial_weights)
        return set_weights(backend, parameters, read_bytes(*spec.initial_weights), *spec.initial_weights);
    for (const auto& parameter : parameters) {
        if (!parameter.part) continue;
        backend.write(parameter.value.name, initial_values(parameter.value.shape, *parameter.part,
                                                           parameter.description, spec.seed));
    }
}

std::optional<std::string> find_not_finite(const Backend& backend, HeldParameters parameters) {
    for (const auto& parameter : parameters) {
        const auto& name = parameter.value.name;
        const auto values = backend.read(name);
        if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) return name;
    }
    return std::nullopt;
}

std::vector<std::byte> get_weights(const Backend& backend, HeldParameters parameters) {
    return get(backend, parameters, Kept::parameters);
}

std::vector<std::byte> get_training_tensors(const Backend& backend, HeldParameters parameters) {
    return get(backend, parameters, Kept::all);
}

std::vector<HeldParameter> held(HeldParameters parameters) {
    std::vector<HeldParameter> found;
    std::ranges::copy_if(parameters, std::back_inserter(found),
                         [](const HeldParameter& parameter) { return parameter.part.has_value(); });
    return found;
}

std::vector<HeldPart> cut_parts(HeldParameters parameters) {
    std::vector<HeldPart> parts;
    for (const auto& parameter : parameters) {
        const auto& shape = parameter.value.shape;
        if (!parameter.part || is_whole(*parameter.part, shape)) continue;
        const auto& [axis, first, count] = *parameter.part;
        parts.push_back({parameter.value.name, first, count, shape[axis]});
    }
    return parts;
}

std::vector<HeldParameter> marked(HeldParameters parameters, bool HeldParameter::*mark) {
    std::vector<HeldParameter> found;
    std::ranges::copy_if(parameters, std::back_inserter(found), mark);
    return found;
}

}  // namespace convoy
