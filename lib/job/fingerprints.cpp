#include "job/fingerprints.hpp"

namespace convoy {

std::optional<std::string> first_difference(const Fingerprints& one, const Fingerprints& other) {
    for (const auto& [topic, fingerprint] : one) {
        const auto found = other.find(topic);
        if (found != other.end() && found->second != fingerprint) return topic;
    }
    return std::nullopt;
}

std::string topic_among(const std::string& topic, const std::string& nodes) {
    return nodes.empty() ? topic : topic + " of " + nodes;
}

std::string_view topic_itself(std::string_view topic) {
    return topic.substr(0, topic.find(' '));
}

}  // namespace convoy
