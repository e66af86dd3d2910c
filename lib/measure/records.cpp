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

NodeRecords NodeRecords::take_first(std::size_t rows) {
    // Braces keep the order of evaluation.
    return {.operators = first_of(operators, rows),
            .steps = first_of(steps, rows),
            .epochs = first_of(epochs, rows),
            .system = first_of(system, rows),
            .trace = first_of(trace, rows),
            .summaries = first_of(summaries, rows),
            .updates = first_of(updates, rows)};
}

bool NodeRecords::empty() const {
    return operators.empty() && steps.empty() && epochs.empty() && system.empty() && trace.empty() &&
           summaries.empty() && updates.empty();
}

}  // namespace convoy
