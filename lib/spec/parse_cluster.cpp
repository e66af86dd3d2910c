#include <fmt/format.h>

#include <algorithm>

#include "spec/codecs.hpp"
#include "spec/fields.hpp"
#include "spec/parse.hpp"
#include "spec/sections.hpp"

namespace convoy {
namespace {

using nlohmann::json;

constexpr Integer host_count{1, most_hosts};

constexpr auto libraries =
    choice<KernelLibrary>({{"xtensor", KernelLibrary::xtensor}, {"onednn", KernelLibrary::onednn}});
constexpr auto convolution_algorithms = choice<ConvolutionAlgorithm>(
    {{"auto", ConvolutionAlgorithm::automatic}, {"direct", ConvolutionAlgorithm::direct}});
constexpr auto parameter_layouts =
    choice<ParameterLayout>({{"auto", ParameterLayout::automatic}, {"plain", ParameterLayout::plain}});
constexpr auto compute_types =
    choice<ComputeType>({{"float32", ComputeType::float32}, {"bfloat16", ComputeType::bfloat16}});

}  // namespace

// Outside the unnamed namespace, so that Section finds them by their arguments.

template <typename Fields>
void declare(Fields& fields, KernelSpec& kernels) {
    fields.field("name", kernels.name, libraries);
    fields.field("fusion", kernels.fusion, Flag{});
    fields.field("convolution", kernels.convolution, convolution_algorithms);
    fields.field("parameter_layout", kernels.parameter_layout, parameter_layouts);
    fields.field("compute_type", kernels.compute_type, compute_types);
    fields.field("recompute", kernels.recompute, Flag{});
}

template <typename Fields>
void declare(Fields& fields, NodeSpec& node) {
    fields.field("threads", node.threads, OrNull{Integer{1, most_threads}});
    fields.field("host", node.host, OrNull{Integer{0, most_hosts - 1}});
    fields.field("kernels", node.kernels, OrNull{KernelsCodec{}});
}

/// The limits of a host, or of all hosts.
template <typename Fields, typename Limits>
void declare_limits(Fields& fields, Limits& limits) {
    fields.field("link_mbit", limits.link_mbit, OrNull{Number{0.1, 1e6}});
    fields.field("cpu", limits.cpu, OrNull{Number{0.05, 1024.0}});
    fields.field("memory_mb", limits.memory_mb, OrNull{Integer{16, std::int64_t{1} << 30}});
}

template <typename Fields>
void declare(Fields& fields, HostSpec& host) {
    declare_limits(fields, host);
}

namespace {

/// A list with one T for each of some things, or only their number, which stands for as many defaults.
template <typename T>
struct CountOrList {
    Integer count;

    [[nodiscard]] std::vector<T> read(const json& found, const Place& place) const {
        if (!found.is_array()) {
            if (!found.is_number()) place.refuse(found, expected());
            return std::vector<T>(static_cast<std::size_t>(count.read(found, place)));
        }
        if (found.empty() || std::ssize(found) > count.high) place.refuse(found, expected());
        std::vector<T> list;
        for (std::size_t i = 0; i < found.size(); ++i)
            list.push_back(Section<T>{}.read(found[i], place.item(i)));
        return list;
    }
    /// A list only where it says more than the number, so that both forms have one run identity.
    [[nodiscard]] json write(const std::vector<T>& all) const {
        if (says_nothing(all)) return all.size();
        json list = json::array();
        for (const auto& one : all) list.push_back(Section<T>{}.write(one));
        return list;
    }
    [[nodiscard]] std::string expected() const {
        return fmt::format("{} or a list of as many objects", count.expected());
    }
    [[nodiscard]] static bool says_nothing(const std::vector<T>& all) {
        return std::ranges::all_of(all, [](const auto& one) { return one == T{}; });
    }
};

constexpr CountOrList<HostSpec> host_list{host_count};
constexpr CountOrList<NodeSpec> node_list{Integer{1, most_nodes}};

}  // namespace

template <typename Fields>
void declare(Fields& fields, ClusterSpec& cluster) {
    std::optional<std::vector<HostSpec>> hosts;
    if constexpr (!Fields::reads) {
        hosts = cluster.own_limits;
        if (hosts->empty() && cluster.hosts) hosts->resize(static_cast<std::size_t>(*cluster.hosts));
        if (hosts->empty()) hosts.reset();
    }
    fields.field("hosts", hosts, OrNull{host_list});
    declare_limits(fields, cluster);
    if constexpr (Fields::reads) {
        if (hosts) cluster.hosts = std::ssize(*hosts);
        if (hosts && !host_list.says_nothing(*hosts)) cluster.own_limits = std::move(*hosts);
    }
}

std::vector<NodeSpec> NodesCodec::read(const json& found, const Place& place) const {
    return node_list.read(found, place);
}
json NodesCodec::write(const std::vector<NodeSpec>& nodes) const {
    return node_list.write(nodes);
}
std::string NodesCodec::expected() const {
    return node_list.expected();
}

ClusterSpec ClusterCodec::read(const json& found, const Place& place) const {
    return Section<ClusterSpec>{}.read(found, place);
}
json ClusterCodec::write(const ClusterSpec& cluster) const {
    return Section<ClusterSpec>{}.write(cluster);
}
std::string ClusterCodec::expected() const {
    return Section<ClusterSpec>{}.expected();
}

KernelSpec KernelsCodec::read(const json& found, const Place& place) const {
    return Section<KernelSpec>{"name"}.read(found, place);
}
json KernelsCodec::write(const KernelSpec& kernels) const {
    return Section<KernelSpec>{"name"}.write(kernels);
}
std::string KernelsCodec::expected() const {
    return Section<KernelSpec>{"name"}.expected();
}

ClusterSpec parse_cluster(const json& content, const std::string& source) {
    return ClusterCodec{}.read(content, Place(source));
}

}  // namespace convoy
