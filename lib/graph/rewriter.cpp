#include "graph/rewriter.hpp"

#include <algorithm>

namespace convoy {

bool Rewriter::is(Position position, OperatorKind kind) const {
    return !removed_.at(position) && operators_.at(position).kind == kind;
}

bool Rewriter::reads(Position position, TensorId id) const {
    return !removed_[position] && std::ranges::count(operators_[position].inputs, id) > 0;
}

std::optional<Position> Rewriter::writer(TensorId id, OperatorKind kind) const {
    for (Position p = 0; p < size(); ++p) {
        if (is(p, kind) && std::ranges::count(operators_[p].outputs, id) > 0) return p;
    }
    return std::nullopt;
}

std::optional<Position> Rewriter::reader(TensorId id, OperatorKind kind) const {
    for (Position p = 0; p < size(); ++p) {
        if (is(p, kind) && reads(p, id)) return p;
    }
    return std::nullopt;
}

std::optional<Position> Rewriter::sole_reader(TensorId id) const {
    // A gradient may lie in a bucket, which an exchange reads.
    if (tensors_.at(index(id)).role == TensorRole::gradient) return std::nullopt;
    std::optional<Position> found;
    for (Position p = 0; p < size(); ++p) {
        if (!reads(p, id)) continue;
        if (found) return std::nullopt;
        found = p;
    }
    return found;
}

std::optional<Position> Rewriter::sole_reader(TensorId id, OperatorKind kind) const {
    const auto found = sole_reader(id);
    return found && is(*found, kind) ? found : std::nullopt;
}

std::size_t Rewriter::count_readers(TensorId id) const {
    std::size_t count = 0;
    for (Position p = 0; p < size(); ++p) count += reads(p, id) ? 1 : 0;
    return count;
}

bool Rewriter::written_before(TensorId id, Position position) const {
    for (Position p = position; p < size(); ++p) {
        if (!removed_[p] && std::ranges::count(operators_[p].outputs, id) > 0) return false;
    }
    return true;
}

void Rewriter::replace(TensorId from, TensorId to, Position position) {
    for (Position p = position; p < size(); ++p) {
        std::ranges::replace(operators_[p].inputs, from, to);
        std::ranges::replace(operators_[p].outputs, from, to);
    }
}

void Rewriter::finish() {
    std::vector<Operator> kept;
    for (Position p = 0; p < size(); ++p) {
        if (!removed_[p]) kept.push_back(std::move(operators_[p]));
    }
    operators_ = std::move(kept);
    removed_.assign(operators_.size(), false);
}

}  // namespace convoy
