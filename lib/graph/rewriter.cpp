#include "graph/rewriter.hpp"

#include <algorithm>

namespace convoy {

bool Rewriter::is(Position position, OperatorKind kind) const {
    return !removed_.at(position) && graph_.operators.at(position).kind == kind;
}

bool Rewriter::reads(Position position, TensorId id) const {
    return !removed_[position] && std::ranges::count(graph_.operators[position].inputs, id) > 0;
}

std::optional<Position> Rewriter::writer(TensorId id, OperatorKind kind) const {
    for (Position p = 0; p < size(); ++p) {
        if (is(p, kind) && std::ranges::count(graph_.operators[p].outputs, id) > 0) return p;
    }
    return std::nullopt;
}

std::optional<Position> Rewriter::reader(TensorId id, OperatorKind kind) const {
    for (Position p = 0; p < size(); ++p) {
        if (is(p, kind) && reads(p, id)) return p;
    }
    return std::nullopt;
}

std::optional<Position> Rewriter::sole_reader(TensorId id, OperatorKind kind) const {
    std::optional<Position> found;
    for (Position p = 0; p < size(); ++p) {
        if (!reads(p, id)) continue;
        if (found || !is(p, kind)) return std::nullopt;
        found = p;
    }
    return found;
}

void Rewriter::finish() {
    std::vector<Operator> kept;
    for (Position p = 0; p < size(); ++p) {
        if (!removed_[p]) kept.push_back(std::move(graph_.operators[p]));
    }
    graph_.operators = std::move(kept);
    removed_.assign(graph_.operators.size(), false);
}

}  // namespace convoy
