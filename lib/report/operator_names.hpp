#pragma once

#include <span>
#include <string>
#include <vector>

#include "measure/records.hpp"

namespace convoy {

/// A name under which operators of several kinds count together, as the rows of another system have it.
struct OperatorName {
    std::string name;                    ///< "_FusedConv2D", for instance
    std::vector<std::string> operators;  ///< at least one
    std::string pass = {};               ///< only those in this pass of a step; empty: in any
    /// These count too where the same layer has one of `operators`, and in the same pass.
    std::vector<std::string> with = {};
};

/// The records with the names that they count under. The first name that fits holds; a record that none fits
/// keeps its own.
std::vector<OperatorRecord> under_names(std::vector<OperatorRecord> operators,
                                        std::span<const OperatorName> names);

}  // namespace convoy
