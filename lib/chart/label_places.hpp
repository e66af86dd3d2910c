#pragma once

#include <span>
#include <vector>

namespace convoy {

/// Places for labels along one line, so that neighbours are at least `distance` apart, and each is as near
/// to its wanted place as the others allow (least squares). All places are from low to high, if there is
/// room for all; else the last ones are above high. Returns one place for each wanted one; labels stay in the
/// order of the wanted places, and of the list where these are equal.
std::vector<double> label_places(std::span<const double> wanted, double distance, double low, double high);

}  // namespace convoy
