#include "data/drawn_split.hpp"

#include <numeric>

#include "base/error.hpp"
#include "base/random.hpp"
#include "data/sharding.hpp"

namespace convoy {

DrawnSplit draw_split(const SplitRequest& request) {
    if (request.train + request.validation + request.test > request.examples)
        throw InternalError("a split of more examples than there are");
    enum class Use : std::uint8_t { train, validation, test };
    std::vector<Use> uses(static_cast<std::size_t>(request.examples), Use::train);
    std::vector<std::uint32_t> drawn(uses.size());
    std::iota(drawn.begin(), drawn.end(), 0U);
    shuffle(drawn, RandomStream(request.seed, RandomPurpose::split));
    const auto tested = static_cast<std::size_t>(request.test);
    const auto held = tested + static_cast<std::size_t>(request.validation);
    for (std::size_t i = 0; i < held; ++i) uses[drawn[i]] = i < tested ? Use::test : Use::validation;

    DrawnSplit split;
    const auto append = [&](Use use, std::int64_t most, std::vector<std::uint32_t>& into) {
        for (std::uint32_t example = 0; example < uses.size() && most > 0; ++example) {
            if (uses[example] != use) continue;
            into.push_back(example);
            --most;
        }
    };
    append(Use::train, request.train, split.train);
    append(Use::validation, request.validation, split.train);
    append(Use::test, request.test, split.test);
    return split;
}

}  // namespace convoy
