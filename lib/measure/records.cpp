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

}  // namespace

void NodeRecords::append(NodeRecords&& other) {
    move_behind(operators, other.operators);
    move_behind(steps, other.steps);
    move_behind(epochs, other.epochs);
    move_behind(system, other.system);
    move_behind(trace, other.trace);
    move_behind(summaries, other.summaries);
}

}  // namespace convoy
