#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tensor/safetensors.hpp"
#include "tensor/tensor_slice.hpp"

/// Parts of tensors in safetensors files. lib/tensor/SAFETENSORS.md says how a file names them.
namespace convoy {

/// A part of a tensor outside of a back-end. values: of the slice, in row-major order.
struct TensorPart {
    std::string name;  ///< of the whole tensor
    Shape whole;       ///< shape of the whole tensor
    TensorSlice slice;
    std::vector<float> values;
    bool operator==(const TensorPart&) const = default;
};

/// A part without its values.
struct PartPlace {
    std::string name;  ///< of the whole tensor
    Shape whole;       ///< shape of the whole tensor
    TensorSlice slice;
};

/// A whole tensor as a part.
TensorPart whole_part(NamedTensor tensor);

/// The bytes of a safetensors file with these parts, at most one of each tensor. A whole tensor has the same
/// bytes as encode_safetensors gives it. Throws InternalError as encode_safetensors does, and if a slice does
/// not fit its tensor.
std::vector<std::byte> encode_parts(std::span<const TensorPart> parts,
                                    std::map<std::string, std::string> metadata = {});

/// The same for parts whose values are elsewhere, see encode_safetensors.
std::vector<std::byte> encode_parts(std::span<const PartPlace> parts, const PutValues& put,
                                    std::map<std::string, std::string> metadata = {});

/// Reads the parts of a safetensors file. A tensor that the metadata do not call a part is whole. Throws
/// DataError as decode_safetensors does, and if the metadata of a part do not fit its tensor.
std::vector<TensorPart> decode_parts(std::span<const std::byte> bytes, const std::string& source);

/// Reads the parts of a file as decode_parts does, and appends them. A temporary file's memory is free again
/// behind the call.
void append_parts(std::vector<TensorPart>& parts, const std::vector<std::byte>& file,
                  const std::string& source);

/// The most elements that a file may say the whole of a part has.
inline constexpr std::int64_t most_whole_elements = std::int64_t{1} << 33;

/// How join_parts treats a tensor of which several parts hold the same places.
enum class SharedPlaces : std::uint8_t {
    refused,  ///< an error, for weights that one node saves
    mean,     ///< the mean of the values, for the parameters of replicas
    sum,      ///< the sum of the values, for residuals
};

/// Puts a tensor together from all its parts. source: where the parts are from, in errors. Throws DataError
/// if the parts disagree on the shape of the whole, leave a place empty, or hold a place twice where that is
/// refused. Memory is allocated only for as many elements as the parts have.
NamedTensor join_parts(std::span<const TensorPart> parts, SharedPlaces shared, const std::string& source);

/// Puts all tensors together, in the order in which they first come, each with shared_of its name.
std::vector<NamedTensor> join_all_parts(
    std::vector<TensorPart> parts, const std::string& source,
    const std::function<SharedPlaces(const std::string& name)>& shared_of);

}  // namespace convoy
