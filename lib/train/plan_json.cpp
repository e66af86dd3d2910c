#include "train/plan_json.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "nn/network.hpp"
#include "nn/zoo.hpp"
#include "plan/node_classes.hpp"
#include "plan/step_cost.hpp"
#include "program/program_kind.hpp"
#include "report/batch_shares.hpp"
#include "train/describe.hpp"

namespace convoy {
namespace {

using nlohmann::json;

json layer_json(const LayerSummary& layer, std::int64_t element_bytes) {
    return {{"layer", layer.name},
            {"type", layer.type},
            {"output", layer.output.extents()},
            {"parameters", layer.parameters},
            {"trained", layer.trained},
            {"flops", layer.forward_flops},
            {"activation_bytes", (Checked(layer.activation_elements) * element_bytes).value()},
            {"reads", layer.inputs}};
}

json need_json(const RunNeed::Class& alike) {
    json bytes = json::object();
    for (const auto part : all_memory_parts) bytes[std::string(part_name(part))] = alike.each.of(part);
    return {{"ranks", alike.ranks},
            {"bytes", std::move(bytes)},
            {"all_bytes", alike.each.total()},
            {"most", alike.each.largest()},
            {"most_bytes", alike.each.largest_bytes()}};
}

/// A number of bytes or frames; null if the cost is not known.
json if_known(const ExchangeCost& cost, std::uint64_t number) {
    return cost.known ? json(number) : json();
}

json exchanges_json(const Program& program, std::int64_t rank, const HostMap& hosts) {
    auto list = json::array();
    for (const auto& op : program.operators) {
        if (!ends_exchange(op)) continue;
        const auto cost = exchange_cost(program, op, rank, hosts);
        list.push_back({{"name", op.name},
                        {"how", exchange_text(program, op)},
                        {"elements", exchanged_elements(program, op)},
                        {"sent_bytes", if_known(cost, cost.sent_bytes)},
                        {"sent_frames", if_known(cost, cost.sent_frames)}});
    }
    return list;
}

/// The programs for messages: their places in the list of programs.
json handlers_json(const Routine& routine) {
    auto list = json::array();
    for (const auto& handler : routine.handlers)
        list.push_back({{"rank", handler.peer},
                        {"receive", handler.receive},
                        {"update", handler.update},
                        {"answer", handler.answer},
                        {"sent", handler.sent}});
    for (std::size_t i = 0; i < list.size(); ++i)
        if (const auto& drop = routine.handlers[i].drop; !drop.empty()) list[i]["drop"] = drop;
    return list;
}

json data_json(const DataRole& data) {
    auto list = json::array();
    if (data.values) list.push_back("values");
    if (data.labels) list.push_back("labels");
    if (data.numbers) list.push_back("example numbers");
    return list;
}

/// Bytes and FLOPs are of the first rank of the class.
json class_json(const NodePlan& node, const NodeClass& nodes, const ExperimentSpec& spec) {
    const auto hosts = hosts_of(spec);
    const auto calls = calls_of_step(node);
    auto programs = json::array();
    for (const auto& [program, times] : calls) {
        programs.push_back({{"kind", kind_name(program.kind)},
                            {"times_in_a_step", times},
                            {"batch", program.batch},
                            {"operators", program.operators.size()},
                            {"exchanges", exchanges_json(program, node.rank, hosts)}});
    }
    const auto cost = step_cost(calls, nodes.ranks.front(), hosts, activation_bytes(spec.kernels));
    json described{{"ranks", nodes.ranks},
                   {"role", node.role},
                   {"reads", data_json(node.data)},
                   {"programs", std::move(programs)},
                   {"flops", cost.work.flops},
                   {"read_bytes", cost.work.read_bytes},
                   {"written_bytes", cost.work.written_bytes},
                   {"sent_bytes", if_known(cost.exchanged, cost.exchanged.sent_bytes)}};
    if (const auto& routine = node.routine; !routine.handlers.empty()) {
        described["handlers"] = handlers_json(routine);
        described["most_ahead"] = routine.most_ahead ? json(*routine.most_ahead) : json();
    }
    return described;
}

}  // namespace

json layers_json(const ExperimentSpec& spec, const DataShape& shape, const Plan& plan, const RunNeed& need) {
    const auto model = resolve_model(spec.model);
    const auto graph = training_graph_of(spec, shape.example, shape.classes);
    auto layers = json::array();
    for (const auto& layer : summarize_layers(model, shape.example, shape.classes))
        layers.push_back(layer_json(layer, activation_bytes(spec.kernels)));
    auto memory = json::array();
    for (const auto& alike : need.classes) memory.push_back(need_json(alike));
    return {{"name", spec.name},
            {"model", model.name},
            {"dataset", spec.dataset.name},
            {"classes_of_data", shape.classes},
            {"nodes", spec.world_size()},
            {"ranks", plan.ranks()},
            {"batch_size", spec.batch_size},
            {"steps", plan.data().steps},
            {"steps_per_epoch", plan.data().train.steps_per_epoch()},
            {"parameters", graph.parameter_elements()},
            {"trained", graph.trained_elements()},
            {"layers", std::move(layers)},
            {"memory", std::move(memory)}};
}

json plan_json(const ExperimentSpec& spec, const DataShape& shape, const Plan& plan, const RunNeed& need) {
    auto content = layers_json(spec, shape, plan, need);
    auto& classes = content["node_classes"] = json::array();
    for (const auto& nodes : node_classes(plan))
        classes.push_back(class_json(plan.of(nodes.ranks.front()), nodes, spec));
    const auto shares = batch_shares(spec, shape, plan);
    content["balance"] = shares ? shares_json(*shares) : json();
    return content;
}

}  // namespace convoy
