#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/program.hpp"

namespace convoy {

/// Adds a message to a program: a bucket without tensors, into which a step packs what travels. The name is
/// unique among all programs of a node for messages of another size, since equal names share memory.
Bucket add_message(Program& program, std::string name, std::int64_t elements);

/// Copies a tensor into a message, or out of it (kind: pack, unpack). first: the element of the message at
/// which the tensor begins.
Operator copy_message(OperatorKind kind, std::string name, TensorId from, TensorId to,
                      std::int64_t first = 0);

/// An exchange of a message, or of a part of it. kind: the whole exchange, its start or its wait; start and
/// wait have the same name.
Operator exchange_message(OperatorKind kind, std::string name, const Bucket& message,
                          ExchangeAttributes attributes);

}  // namespace convoy
