#include "measure/records.hpp"

#include <iterator>

namespace convoy {

namespace {

template <typename Record>
void move_behind(std::vector<Record>& records, std::vector<Record>& others) {
    records.insert(records.end(), std::make_move_iterator(others.begin()),
                   std::make_move_iterator(others.end()));
    others.clear();
}

/// Moves the first rows of from, as many as there is room for, to an empty list, and takes them off room.
template <class Record>
std::vector<Record> first_of(std::vector<Record>& from, std::size_t& room) {
    const auto end = from.begin() + static_cast<std::ptrdiff_t>(std::min(room, from.size()));
    std::vector<Record> first(std::move_iterator(from.begin()), std::move_iterator(end));
    from.erase(from.begin(), end);
    room -= first.size();
    return first;
}

}  // namespace

void NodeRecords::append(NodeRecords&& other) {
    move_behind(operators, other.operators);
    move_behind(steps, other.steps);
    move_behind(epochs, other.epochs);
    move_behind(system, other.system);
    move_behind(trace, other.trace);
    move_behind(summaries, other.summaries);
    move_behind(updates, other.updates);
}

NodeRecords NodeRecords::take_first(std::size_t most) {
    // Braces keep the order of evaluation.
    return {.operators = first_of(operators, most),
            .steps = first_of(steps, most),
            .epochs = first_of(epochs, most),
            .system = first_of(system, most),
            .trace = first_of(trace, most),
            .summaries = first_of(summaries, most),
            .updates = first_of(updates, most)};
}

std::size_t NodeRecords::rows() const {
    return operators.size() + steps.size() + epochs.size() + system.size() + trace.size() + summaries.size() +
           updates.size();
}

}  // namespace convoy
