#include "spec/codecs.hpp"
#include "spec/fields.hpp"
#include "spec/sections.hpp"

namespace convoy {
namespace {

using nlohmann::json;

constexpr auto kinds = choice(fault_kind_names);
/// Those that the launcher can do to a process at any time.
constexpr auto kinds_at_any_time = choice<FaultKind>({{"kill", FaultKind::kill},
                                                      {"term", FaultKind::term},
                                                      {"hang", FaultKind::hang},
                                                      {"partition", FaultKind::partition}});
constexpr Integer rank_of_fault{0, most_nodes - 1};
constexpr std::size_t most_faults = 1000;

/// A list with at least one value.
template <typename T, typename Codec>
struct SomeOf {
    ListOf<T, Codec> list;

    [[nodiscard]] std::vector<T> read(const json& found, const Place& place) const {
        if (found.is_array() && found.empty()) place.refuse(found, expected());
        return list.read(found, place);
    }
    [[nodiscard]] json write(const std::vector<T>& values) const { return list.write(values); }
    [[nodiscard]] std::string expected() const { return list.expected() + ", and at least one"; }
};

}  // namespace

// Outside the unnamed namespace, so that Section finds them by their arguments.

template <typename Fields>
void declare(Fields& fields, FaultSpec& fault) {
    fields.required("node", fault.node, rank_of_fault);
    fields.required("step", fault.step, Integer{1, 1'000'000'000});
    fields.required("kind", fault.kind, kinds);
    fields.field("factor", fault.factor, Number{1.0, 1000.0});
}

template <typename Fields>
void declare(Fields& fields, RandomFaultsSpec& random) {
    fields.required("mean_time_s", random.mean_time_s, Number{0.001, 1e6});
    fields.field("seed", random.seed, any_seed);
    fields.field("count", random.count, Integer{1, most_faults});
    fields.field("kinds", random.kinds,
                 SomeOf<FaultKind, decltype(kinds_at_any_time)>{{kinds_at_any_time, most_faults}});
    fields.field("nodes", random.nodes, ListOf<std::int64_t, Integer>{rank_of_fault, most_nodes});
}

namespace {

constexpr ListOf<FaultSpec, Section<FaultSpec>> faults_at_steps{{}, most_faults};

}  // namespace

FaultsSpec FaultsCodec::read(const json& found, const Place& place) const {
    if (found.is_array()) return {.at_steps = faults_at_steps.read(found, place), .random = {}};
    if (!found.is_object()) place.refuse(found, expected());
    return {.at_steps = {}, .random = Section<RandomFaultsSpec>{}.read(found, place)};
}
json FaultsCodec::write(const FaultsSpec& faults) const {
    return faults.random ? Section<RandomFaultsSpec>{}.write(*faults.random)
                         : faults_at_steps.write(faults.at_steps);
}
std::string FaultsCodec::expected() const {
    return "a list of faults, or an object for random ones";
}

}  // namespace convoy
