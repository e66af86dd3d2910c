#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace convoy {

/// The properties of a node's work in which nodes must agree: by topic ("labels"), a short text or hash. A
/// node gives a topic only if the topic concerns it: a node without data gives no labels.
using Fingerprints = std::map<std::string, std::string>;

/// The topics of a run.
namespace topic {
inline constexpr const char* convoy = "convoy";    ///< the version of the program, and its commit
inline constexpr const char* spec = "spec";        ///< the experiment
inline constexpr const char* shape = "shape";      ///< shape, classes and sizes of the data
inline constexpr const char* labels = "labels";    ///< the labels of all splits
inline constexpr const char* values = "values";    ///< a sample of the values of all splits
inline constexpr const char* parts = "parts";      ///< the part of the data that each node keeps, by label
inline constexpr const char* layouts = "layouts";  ///< the memory layout of the parameters
inline constexpr const char* weights = "weights";  ///< the weights that all nodes share
inline constexpr const char* step = "step";        ///< the step at which the run begins
inline constexpr const char* benchmark = "benchmark";  ///< the work of a benchmark
}  // namespace topic

/// Limits of fingerprints that come from another process.
inline constexpr std::size_t most_topics = 16;
inline constexpr std::size_t most_topic_characters = 32;
inline constexpr std::size_t most_fingerprint_characters = 128;

/// A topic that only some nodes compare: "weights of stage 2". nodes: in words; empty: all nodes.
std::string topic_among(const std::string& topic, const std::string& nodes);
/// The topic itself, among whichever nodes it is compared.
std::string_view topic_itself(std::string_view topic);

/// The first topic that both nodes give, with different fingerprints. Absent if they agree.
std::optional<std::string> first_difference(const Fingerprints& one, const Fingerprints& other);

}  // namespace convoy
