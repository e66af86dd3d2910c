#include "train/weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/version.hpp"
#include "nn/initial_values.hpp"
#include "tensor/safetensors.hpp"

namespace convoy {

namespace {

/// The tensors of a network that training changes.
enum class Kept : std::uint8_t { parameters, all };

struct WantedTensor {
    TensorInfo info;
    bool held;
};

std::vector<WantedTensor> tensors_of(HeldParameters parameters, Kept kept) {
    std::vector<WantedTensor> tensors;
    for (const auto& parameter : parameters) {
        tensors.push_back({parameter.value, parameter.held});
        if (kept == Kept::parameters) continue;
        for (const auto& slot : parameter.slots) tensors.push_back({slot, parameter.held});
        if (parameter.residual) tensors.push_back({*parameter.residual, parameter.held});
    }
    return tensors;
}

std::vector<std::byte> get(const Backend& backend, HeldParameters parameters, Kept kept) {
    std::vector<NamedTensor> tensors;
    for (const auto& [info, held] : tensors_of(parameters, kept)) {
        if (!held) continue;
        tensors.push_back({info.name, info.shape, backend.read(info.name)});
    }
    return encode_safetensors(tensors, {{"producer", fmt::format("convoy {}", version())}});
}

void set(Backend& backend, HeldParameters parameters, Kept kept, std::span<const std::byte> safetensors,
         const std::string& source) {
    const auto tensors = decode_safetensors(safetensors, source);
    const auto wanted = tensors_of(parameters, kept);
    for (const auto& [info, held] : wanted) {
        const auto found = std::ranges::find(tensors, info.name, &NamedTensor::name);
        if (found == tensors.end()) throw DataError(fmt::format("{}: has no tensor {}", source, info.name));
        if (found->shape != info.shape) {
            throw DataError(fmt::format("{}: {} is {}, the network's is {}", source, info.name,
                                        found->shape.text(), info.shape.text()));
        }
        if (held) backend.write(info.name, found->values);
    }
    if (tensors.size() != wanted.size()) {
        throw DataError(
            fmt::format("{}: holds {} tensors, the network has {} {}", source, tensors.size(), wanted.size(),
                        kept == Kept::parameters ? "parameters" : "parameters, slots and residuals"));
    }
}

}  // namespace

void set_weights(Backend& backend, HeldParameters parameters, std::span<const std::byte> safetensors,
                 const std::string& source) {
    set(backend, parameters, Kept::parameters, safetensors, source);
}

void set_training_tensors(Backend& backend, HeldParameters parameters, std::span<const std::byte> safetensors,
                          const std::string& source) {
    set(backend, parameters, Kept::all, safetensors, source);
}

void set_initial_weights(Backend& backend, HeldParameters parameters, const ExperimentSpec& spec) {
    if (spec.initial_weights)
        return set_weights(backend, parameters, read_bytes(*spec.initial_weights), *spec.initial_weights);
    for (const auto& parameter : parameters) {
        if (!parameter.held) continue;
        backend.write(parameter.value.name,
                      initial_values(parameter.value.shape, parameter.description, spec.seed));
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

std::vector<HeldParameter> marked(HeldParameters parameters, bool HeldParameter::*mark) {
    std::vector<HeldParameter> found;
    std::ranges::copy_if(parameters, std::back_inserter(found), mark);
    return found;
}

}  // namespace convoy
