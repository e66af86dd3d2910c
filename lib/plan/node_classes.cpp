#include "plan/node_classes.hpp"

#include <map>
#include <utility>

namespace convoy {
namespace {

/// The key of a rank's class: its shares in each split of the training batches. The key also has the rank if
/// no other rank may be in the class.
std::vector<std::int64_t> class_of(const DataPlan& data, const std::vector<std::vector<std::int64_t>>& splits,
                                   std::int64_t rank) {
    std::vector<std::int64_t> key;
    if (!data.train.alone_in_replica(rank)) key.push_back(rank);
    for (const auto& split : splits) key.push_back(split.at(static_cast<std::size_t>(rank)));
    return key;
}

}  // namespace

std::vector<NodeClass> node_classes(const Plan& plan) {
    const auto splits = plan.data().train.splits();
    std::map<std::vector<std::int64_t>, std::size_t> place;
    std::vector<NodeClass> classes;
    for (std::int64_t rank = 0; rank < plan.ranks(); ++rank) {
        const auto [found, added] = place.emplace(class_of(plan.data(), splits, rank), classes.size());
        if (added) classes.emplace_back();
        classes[found->second].ranks.push_back(rank);
    }
    return classes;
}

}  // namespace convoy
