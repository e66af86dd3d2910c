#include "strategy/tensor_messages.hpp"

#include <utility>

namespace convoy {

Bucket add_message(Program& program, std::string name, std::int64_t elements) {
    const auto storage = static_cast<TensorId>(program.tensors.size());
    program.tensors.push_back({std::move(name), Shape{elements}, TensorRole::bucket, false});
    program.buckets.push_back({.storage = storage, .tensors = {}, .offsets = {}, .elements = elements});
    return program.buckets.back();
}

Operator copy_message(OperatorKind kind, std::string name, TensorId from, TensorId to, std::int64_t first) {
    return {kind, std::move(name), Pass::communication, {from}, {to}, MessageAttributes{first}, {}};
}

Operator exchange_message(OperatorKind kind, std::string name, const Bucket& message,
                          ExchangeAttributes attributes) {
    return {kind,
            std::move(name),
            Pass::communication,
            {message.storage},
            {message.storage},
            std::move(attributes),
            {}};
}

}  // namespace convoy
