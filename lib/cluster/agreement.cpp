#include "cluster/agreement.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace convoy {
namespace {

constexpr std::string_view same_files = "give both the same data files";
constexpr std::array<std::pair<std::string_view, TopicWords>, 10> all_topics{{
    {topic::convoy, {"the version of convoy", "install the same convoy on both"}},
    {topic::spec, {"the experiment spec", "start both for the same spec"}},
    {topic::shape,
     {"the shape and the size of the data",
      "give both the same data files, or set $.dataset.train_examples and $.dataset.test_examples"}},
    {topic::labels, {"the labels of the data", same_files}},
    {topic::values, {"the values of the data", same_files}},
    {topic::parts, {"the parts of the data that nodes keep", "use machines with the same processor"}},
    {topic::layouts,
     {"the memory layout of the parameters",
      "use machines with the same processor, or set kernels.parameter_layout to plain"}},
    {topic::weights,
     {"the weights that they share", "give both the same convoy, checkpoint and initial_weights"}},
    {topic::step, {"the step at which the run begins", "resume both from the same checkpoint"}},
    {topic::benchmark, {"the work of the benchmark", "start both with the same options"}},
}};

}  // namespace

TopicWords words_of(std::string_view topic) {
    const auto found =
        std::ranges::find(all_topics, topic_itself(topic), [](const auto& entry) { return entry.first; });
    if (found != all_topics.end()) return found->second;
    return {"what to run", "give both the same convoy, spec and data"};
}

std::optional<Agreement::Difference> Agreement::say(std::size_t rank, Fingerprints fingerprints) {
    touched_ = true;
    if (!beats_) beats_ = 0;
    auto& own = said_.at(rank);
    own = std::move(fingerprints);
    for (std::size_t one = 0; one < said_.size(); ++one) {
        const auto& said = said_[one];
        const auto topic = said ? first_difference(*said, *own) : std::nullopt;
        if (!topic) continue;
        beats_.reset();
        return Difference{.one = one,
                          .other = rank,
                          .topic = *topic,
                          .of_one = said->at(*topic),
                          .of_other = own->at(*topic)};
    }
    return std::nullopt;
}

bool Agreement::reached() {
    if (!std::ranges::all_of(said_, [](const auto& said) { return said.has_value(); })) return false;
    std::ranges::fill(said_, std::optional<Fingerprints>());
    beats_.reset();
    return true;
}

std::optional<std::size_t> Agreement::overdue_after_beat(int most_beats) {
    if (!beats_ || ++*beats_ <= most_beats) return std::nullopt;
    beats_.reset();
    const auto owes = [](const auto& said) { return !said.has_value(); };
    return static_cast<std::size_t>(std::ranges::find_if(said_, owes) - said_.begin());
}

}  // namespace convoy
