#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

/// One line for each place where two JSON values differ, as in "$.batch_size: 48 in A, 96 in B". Null, no
/// value, and an empty list or object are the same. ignored: keys of the outermost objects that do not count.
/// Long lists of differences end with their number.
std::vector<std::string> json_differences(const nlohmann::json& a, const nlohmann::json& b,
                                          std::span<const std::string_view> ignored = {});

}  // namespace convoy
