#include "job/fingerprints.hpp"

namespace convoy {

std::optional<std::string> first_difference(const Fingerprints& one, const Fingerprints& other) {
    for (const auto& [topic, fingerprint] : one) {
        const auto found = other.find(topic);
        if (found != other.end() && found->second != fingerprint) return topic;
    }
    return std::nullopt;
}

}  // namespace convoy
