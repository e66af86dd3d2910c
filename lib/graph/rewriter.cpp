#include "graph/rewriter.hpp"

#include <algorithm>
#include <utility>

namespace convoy {
namespace {

void insert_position(std::vector<Position>& positions, Position position) {
    const auto place = std::ranges::lower_bound(positions, position);
    if (place == positions.end() || *place != position) positions.insert(place, position);
}

void erase_position(std::vector<Position>& positions, Position position) {
    const auto place = std::ranges::lower_bound(positions, position);
    if (place != positions.end() && *place == position) positions.erase(place);
}

}  // namespace

Rewriter::Rewriter(std::vector<Operator>& operators, std::vector<TensorInfo>& tensors)
    : operators_(operators), tensors_(tensors), removed_(operators.size(), false), users_(tensors.size()) {
    for (Position p = 0; p < size(); ++p) link(p);
}

void Rewriter::link(Position position) {
    const auto& op = operators_[position];
    for (const auto id : op.inputs) insert_position(users_.at(index(id)).readers, position);
    for (const auto id : op.outputs) insert_position(users_.at(index(id)).writers, position);
}

void Rewriter::unlink(Position position) {
    const auto& op = operators_[position];
    for (const auto id : op.inputs) erase_position(users_.at(index(id)).readers, position);
    for (const auto id : op.outputs) erase_position(users_.at(index(id)).writers, position);
}

void Rewriter::put(Position position, Operator op) {
    unlink(position);
    operators_.at(position) = std::move(op);
    link(position);
}

void Rewriter::remove(Position position) {
    unlink(position);
    removed_.at(position) = true;
}

bool Rewriter::is(Position position, OperatorKind kind) const {
    return !removed_.at(position) && operators_.at(position).kind == kind;
}

std::optional<Position> Rewriter::first_of(const std::vector<Position>& positions, OperatorKind kind) const {
    const auto found =
        std::ranges::find_if(positions, [&](Position p) { return operators_[p].kind == kind; });
    return found == positions.end() ? std::nullopt : std::optional(*found);
}

std::optional<Position> Rewriter::writer(TensorId id, OperatorKind kind) const {
    return first_of(users(id).writers, kind);
}

std::optional<Position> Rewriter::reader(TensorId id, OperatorKind kind) const {
    return first_of(users(id).readers, kind);
}

std::optional<Position> Rewriter::sole_reader(TensorId id) const {
    // A gradient may lie in a bucket, which an exchange reads.
    if (tensors_.at(index(id)).role == TensorRole::gradient || count_readers(id) != 1) return std::nullopt;
    return users(id).readers.front();
}

std::optional<Position> Rewriter::sole_reader(TensorId id, OperatorKind kind) const {
    const auto found = sole_reader(id);
    return found && is(*found, kind) ? found : std::nullopt;
}

std::size_t Rewriter::count_readers(TensorId id) const {
    return users(id).readers.size();
}

bool Rewriter::written_before(TensorId id, Position position) const {
    const auto& writers = users(id).writers;
    return writers.empty() || writers.back() < position;
}

void Rewriter::replace(TensorId from, TensorId to, Position position) {
    auto positions = users(from).readers;
    positions.insert(positions.end(), users(from).writers.begin(), users(from).writers.end());
    for (const auto p : positions) {
        if (p < position) continue;
        auto op = operators_[p];
        std::ranges::replace(op.inputs, from, to);
        std::ranges::replace(op.outputs, from, to);
        put(p, std::move(op));
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
