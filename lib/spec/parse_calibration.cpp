#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/files.hpp"
#include "base/json_text.hpp"
#include "spec/calibration_spec.hpp"
#include "spec/codecs.hpp"
#include "spec/fields.hpp"
#include "spec/sections.hpp"

namespace convoy {
namespace {

using nlohmann::json;

constexpr std::size_t most_file_bytes = std::size_t{16} << 20U;
constexpr std::int64_t most_links = most_hosts * (most_hosts + 1) / 2;
constexpr std::int64_t most_choices = 4096;
constexpr std::int64_t most_measured_layers = 1000;  // as a model has at most
constexpr Integer any_host{0, most_hosts - 1};
constexpr OrNull any_speed{Number{0.0, 1e6, Number::Without::low}};
constexpr Choice<AllReduceAlgorithm, all_reduce_algorithm_names.size()> algorithms{
    all_reduce_algorithm_names};

/// A list of up to `most` objects.
template <typename T>
struct ListOfObjects {
    std::int64_t most;

    [[nodiscard]] std::vector<T> read(const json& found, const Place& place) const {
        if (!found.is_array() || std::ssize(found) > most) place.refuse(found, expected());
        std::vector<T> list;
        for (std::size_t i = 0; i < found.size(); ++i)
            list.push_back(Section<T>{}.read(found[i], place.item(i)));
        return list;
    }
    [[nodiscard]] json write(const std::vector<T>& all) const {
        auto list = json::array();
        for (const auto& one : all) list.push_back(Section<T>{}.write(one));
        return list;
    }
    [[nodiscard]] std::string expected() const { return fmt::format("a list of up to {} objects", most); }
};

/// Speeds: NodeSpeeds or LayerSpeeds.
template <typename Fields, typename Speeds>
void declare_speeds(Fields& fields, Speeds& speeds) {
    fields.field("convolution_gflops", speeds.convolution_gflops, any_speed);
    fields.field("filter_gradient_gflops", speeds.filter_gradient_gflops, any_speed);
    fields.field("input_gradient_gflops", speeds.input_gradient_gflops, any_speed);
    fields.field("matmul_gflops", speeds.matmul_gflops, any_speed);
    fields.field("pooling_gb_s", speeds.pooling_gb_s, any_speed);
}

}  // namespace

// Outside the unnamed namespace, so that Section finds them by their arguments.

template <typename Fields>
void declare(Fields& fields, LayerSpeeds& speeds) {
    fields.required("layer", speeds.layer, Identifier{{"_"}});
    declare_speeds(fields, speeds);
}

template <typename Fields>
void declare(Fields& fields, NodeCalibration& node) {
    fields.field("host", node.host, any_host);
    fields.required("threads", node.threads, Integer{1, most_threads});
    declare_speeds(fields, node.speeds);
    fields.field("elementwise_gb_s", node.speeds.elementwise_gb_s, any_speed);
    fields.field("layers", node.speeds.layers, ListOfObjects<LayerSpeeds>{most_measured_layers});
}

template <typename Fields>
void declare(Fields& fields, LinkCalibration& link) {
    fields.required("from", link.from, any_host);
    fields.required("to", link.to, any_host);
    fields.required("mbit", link.mbit, Number{0.0, 1e6, Number::Without::low});
    fields.required("latency_us", link.latency_us, Number{0.0, 1e9});
}

template <typename Fields>
void declare(Fields& fields, AllReduceChoice& choice) {
    fields.required("nodes", choice.nodes, Integer{1, most_nodes});
    fields.required("up_to_bytes", choice.up_to_bytes, OrNull{Integer{1, std::int64_t{1} << 40}});
    fields.required("algorithm", choice.algorithm, algorithms);
}

namespace {

/// Nodes and links are on hosts that there are, and no pair of hosts has two links.
void check_hosts_and_links(const CalibrationSpec& calibration, const Place& place) {
    const auto expected = fmt::format("one of the {} hosts, counted from 0", calibration.hosts);
    for (std::size_t i = 0; i < calibration.nodes.size(); ++i) {
        const auto host = calibration.nodes[i].host;
        if (host >= calibration.hosts) place.key("nodes").item(i).key("host").refuse(host, expected);
    }
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    for (std::size_t i = 0; i < calibration.links.size(); ++i) {
        const auto& link = calibration.links[i];
        const auto where = place.key("links").item(i);
        if (link.to >= calibration.hosts) where.key("to").refuse(link.to, expected);
        if (link.from > link.to)
            where.key("from").refuse(link.from, fmt::format("at most {}, as links go both ways", link.to));
        pairs.emplace_back(link.from, link.to);
    }
    std::ranges::sort(pairs);
    const auto twice = std::ranges::adjacent_find(pairs);
    if (twice != pairs.end())
        place.key("links").fail(fmt::format("expected one link from {} to {}", twice->first, twice->second));
}

/// No node has two speeds of one layer.
void check_layers(const CalibrationSpec& calibration, const Place& place) {
    for (std::size_t i = 0; i < calibration.nodes.size(); ++i) {
        std::vector<std::string> names;
        for (const auto& speeds : calibration.nodes[i].speeds.layers) names.push_back(speeds.layer);
        std::ranges::sort(names);
        const auto twice = std::ranges::adjacent_find(names);
        if (twice != names.end())
            place.key("nodes").item(i).key("layers").fail(
                fmt::format("expected each layer once, found \"{}\" twice", *twice));
    }
}

void check_choices(const CalibrationSpec& calibration, const Place& place) {
    const auto order = [](const AllReduceChoice& choice) {
        return std::tuple(choice.nodes, !choice.up_to_bytes, choice.up_to_bytes.value_or(0));
    };
    const auto& choices = calibration.all_reduce;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const auto where = place.key("all_reduce").item(i);
        if (i > 0 && order(choices[i - 1]) >= order(choices[i]))
            where.fail("expected rows that ascend in nodes and in up_to_bytes, null last");
        if (choices[i].algorithm == AllReduceAlgorithm::pairwise && choices[i].nodes > pairwise_max_nodes)
            where.key("algorithm")
                .refuse("pairwise",
                        fmt::format("another algorithm for more than {} nodes", pairwise_max_nodes));
    }
}

}  // namespace

template <typename Fields>
void declare(Fields& fields, CalibrationSpec& calibration) {
    std::int64_t format = 1;
    fields.required("format", format, Integer{1, 1});
    fields.required("hosts", calibration.hosts, Integer{1, most_hosts});
    fields.field("nodes", calibration.nodes, ListOfObjects<NodeCalibration>{most_nodes});
    fields.field("links", calibration.links, ListOfObjects<LinkCalibration>{most_links});
    fields.field("all_reduce", calibration.all_reduce, ListOfObjects<AllReduceChoice>{most_choices});
}

CalibrationSpec CalibrationCodec::read(const json& found, const Place& place) const {
    auto calibration = Section<CalibrationSpec>{}.read(found, place);
    check_hosts_and_links(calibration, place);
    check_layers(calibration, place);
    check_choices(calibration, place);
    return calibration;
}
json CalibrationCodec::write(const CalibrationSpec& calibration) const {
    return Section<CalibrationSpec>{}.write(calibration);
}
std::string CalibrationCodec::expected() const {
    return Section<CalibrationSpec>{}.expected();
}

std::variant<std::string, CalibrationSpec> CalibrationSourceCodec::read(const json& found,
                                                                        const Place& place) const {
    if (found.is_string()) return FilePath{}.read(found, place);
    if (!found.is_object()) place.refuse(found, expected());
    return CalibrationCodec{}.read(found, place);
}
json CalibrationSourceCodec::write(const std::variant<std::string, CalibrationSpec>& source) const {
    if (const auto* path = std::get_if<std::string>(&source)) return FilePath{}.write(*path);
    return CalibrationCodec{}.write(std::get<CalibrationSpec>(source));
}
std::string CalibrationSourceCodec::expected() const {
    return "the path of a calibration or an object";
}

NodeSpeeds speeds_in_layer(const NodeSpeeds& speeds, std::string_view layer) {
    auto found = speeds;
    found.layers.clear();
    const auto own = std::ranges::find(speeds.layers, layer, &LayerSpeeds::layer);
    if (own == speeds.layers.end()) return found;
    const auto take = [](std::optional<double>& speed, const std::optional<double>& measured) {
        if (measured) speed = measured;
    };
    take(found.convolution_gflops, own->convolution_gflops);
    take(found.filter_gradient_gflops, own->filter_gradient_gflops);
    take(found.input_gradient_gflops, own->input_gradient_gflops);
    take(found.matmul_gflops, own->matmul_gflops);
    take(found.pooling_gb_s, own->pooling_gb_s);
    return found;
}

json to_json(const CalibrationSpec& calibration) {
    return CalibrationCodec{}.write(calibration);
}

CalibrationSpec parse_calibration(const json& content, const std::string& source) {
    return CalibrationCodec{}.read(content, Place(source));
}

CalibrationSpec load_calibration(const std::filesystem::path& file) {
    return parse_calibration(parse_json(read_text(file, most_file_bytes), file.string()), file.string());
}

std::vector<AllReduceChoice> all_reduce_choices(const AllReduceCalibration& calibration) {
    std::vector<AllReduceChoice> choices;
    for (const auto& range : calibration.ranges)
        choices.push_back({calibration.nodes, range.up_to_bytes, range.algorithm});
    choices.push_back({calibration.nodes, std::nullopt, calibration.beyond});
    return choices;
}

}  // namespace convoy
