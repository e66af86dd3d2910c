#include "strategy/dense_cut.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "exchange/group.hpp"
#include "strategy/cut_weights.hpp"
#include "strategy/parameter_part.hpp"
#include "strategy/shared_norm.hpp"
#include "strategy/tensor_messages.hpp"

namespace convoy {
namespace {

using Kind = OperatorKind;

/// The rows of each rank in a matrix that has one row for each example of the batch.
class BatchRows {
  public:
    BatchRows(std::span<const std::int64_t> examples, std::int64_t rank)
        : counts_(examples.begin(), examples.end()), rank_(rank) {}

    [[nodiscard]] std::int64_t ranks() const { return std::ssize(counts_); }
    [[nodiscard]] std::int64_t rank() const { return rank_; }
    [[nodiscard]] std::int64_t all() const { return before(ranks()); }
    [[nodiscard]] std::int64_t own() const { return count(rank_); }
    [[nodiscard]] std::int64_t count(std::int64_t rank) const {
        return counts_[static_cast<std::size_t>(rank)];
    }
    [[nodiscard]] std::int64_t before(std::int64_t rank) const {
        return std::accumulate(counts_.begin(), counts_.begin() + rank, std::int64_t{0});
    }

  private:
    std::vector<std::int64_t> counts_;
    std::int64_t rank_;
};

ElementRange range(std::int64_t first, std::int64_t count) {
    return {static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count)};
}

/// One cut layer in one program.
struct CutLayer {
    std::string name;                    ///< of the layer
    TensorId weight{};                   ///< the rank's part: own units, inputs
    std::int64_t inputs = 0, units = 0;  ///< of the whole layer
    std::optional<TensorId> all_inputs;  ///< rows of the whole batch, inputs; set by the forward pass
    std::optional<TensorId> squares;     ///< of the weights; set by the penalty
};

/// A message and its name without its size: what exchanges of it are called in tables.
struct NamedMessage {
    Bucket bucket;
    std::string name;
};

/// Puts the operators of a program together again, its dense layers cut.
class DenseCut {
  public:
    DenseCut(Program& program, BatchRows rows, std::int64_t segment_bytes)
        : program_(program), rows_(std::move(rows)), segment_bytes_(segment_bytes) {}

    OwnTensors run(std::span<const std::string> weights) {
        for (const auto& parameter : program_.parameters) {
            if (std::ranges::count(weights, program_.tensor(parameter.value).name) > 0) hold_part(parameter);
        }
        for (const auto& op : program_.operators)
            if (op.pass == Pass::update) update_part(op);
        const auto whole = std::exchange(program_.operators, {});
        for (const auto& op : whole) {
            switch (op.kind) {
                case Kind::matmul:
                    if (auto* layer = cut(op.inputs.at(1))) {
                        forward(*layer, op);
                        continue;
                    }
                    break;
                case Kind::matmul_backprop_weight:
                    if (auto* layer = layer_of_gradient(op.outputs.at(0))) {
                        backward(*layer, op, reader_of(whole, Kind::matmul_backprop_input, layer->weight));
                        continue;
                    }
                    break;
                case Kind::matmul_backprop_input:
                    if (cut(op.inputs.at(0)) != nullptr) continue;  // stands beside the weights' gradient
                    break;
                case Kind::square:
                    if (auto* layer = cut(op.inputs.at(0))) {
                        layer->squares = op.outputs.at(0);
                        continue;
                    }
                    break;
                case Kind::sum:
                    if (const auto* layer = layer_of_squares(op.inputs.at(0))) {
                        sum_squares(*layer, op);
                        continue;
                    }
                    break;
                default: break;
            }
            program_.operators.push_back(op);
        }
        return std::move(own_);
    }

  private:
    void hold_part(const Parameter& parameter) {
        const auto whole = program_.tensor(parameter.value).shape;
        const auto part = slice_shape(units_of(whole[0], rows_.rank(), rows_.ranks()), whole);
        give_part(program_, parameter, part);
        weight_by_gradient_[parameter.gradient] = parameter.value;
        const auto& name = program_.tensor(parameter.value).name;
        layers_[parameter.value] = {.name = name.substr(0, name.find('.')),
                                    .weight = parameter.value,
                                    .inputs = whole[1],
                                    .units = whole[0],
                                    .all_inputs = {},
                                    .squares = {}};
    }
    /// What an update of a cut weight writes is of the own units, such as its gradient with the penalty's.
    void update_part(const Operator& update) {
        const auto layer = std::ranges::find_if(
            layers_, [&](const auto& each) { return program_.tensor(each.first).name == update.name; });
        if (layer == layers_.end()) return;
        for (const auto id : update.outputs) {
            program_.tensors.at(index(id)).shape = program_.tensor(layer->first).shape;
            own_.insert(id);
        }
    }
    CutLayer* cut(TensorId weight) {
        const auto found = layers_.find(weight);
        return found == layers_.end() ? nullptr : &found->second;
    }
    CutLayer* layer_of_gradient(TensorId gradient) {
        const auto found = weight_by_gradient_.find(gradient);
        return found == weight_by_gradient_.end() ? nullptr : cut(found->second);
    }
    [[nodiscard]] const CutLayer* layer_of_squares(TensorId squares) const {
        const auto found =
            std::ranges::find_if(layers_, [&](const auto& layer) { return layer.second.squares == squares; });
        return found == layers_.end() ? nullptr : &found->second;
    }

    /// The penalty's sum of squares, over the units of all ranks.
    void sum_squares(const CutLayer& layer, const Operator& sum) {
        auto [message, operators] = shared_penalty(program_, layer.name + ".squares", sum, layer.weight,
                                                   consecutive_ranks(0, rows_.ranks()));
        std::ranges::move(operators, std::back_inserter(program_.operators));
        own_.insert(message.storage);
        own_.insert(sum.outputs.at(0));
    }

    void forward(CutLayer& layer, const Operator& product) {
        layer.all_inputs = gather_rows(layer.name + ".inputs", product.inputs.at(0), layer.inputs);
        const auto units = units_of(layer.units, rows_.rank(), rows_.ranks());
        const auto results = add_whole(product.name + ".own_units", units.count);
        add(product, {*layer.all_inputs, layer.weight}, results);
        take_own_rows(layer, results, product.outputs.at(0));
    }

    /// The results of all units for the own examples. Each rank's results lie behind those of the ranks
    /// before, row by row.
    void take_own_rows(const CutLayer& layer, TensorId own_units, TensorId result) {
        const auto message = add_sized_message(layer.name + ".results", rows_.all() * layer.units);
        const auto units = [&](std::int64_t rank) { return units_of(layer.units, rank, rows_.ranks()); };
        const auto first = [&](std::int64_t rank) { return rows_.all() * units(rank).first; };
        add_copy(Kind::pack, own_units, message.bucket.storage, first(rows_.rank()));
        pull_from_all(message,
                      [&](std::int64_t rank) { return range(first(rank), rows_.all() * units(rank).count); });
        if (rows_.own() == 0) return;
        std::vector<TensorId> parts;
        for (std::int64_t rank = 0; rank < rows_.ranks(); ++rank) {
            parts.push_back(
                add_own(fmt::format("{}.results_of_rank_{}", layer.name, rank), units(rank).count));
            add_copy(Kind::unpack, message.bucket.storage, parts.back(),
                     first(rank) + rows_.before(rows_.rank()) * units(rank).count);
        }
        program_.operators.push_back({Kind::concat, layer.name, Pass::forward, parts, {result}, {}, {}});
    }

    /// The gradient of the inputs first: it is summed while the gradient of the weights is computed.
    void backward(CutLayer& layer, const Operator& of_weight, const Operator* of_input) {
        const auto units = units_of(layer.units, rows_.rank(), rows_.ranks());
        const auto all = gather_rows(layer.name + ".result_gradients", of_weight.inputs.at(1), layer.units);
        const auto own = add_whole(layer.name + ".own_result_gradients", units.count);
        program_.operators.push_back(
            {Kind::slice, of_weight.name, Pass::backward, {all}, {own}, SliceAttributes{units.first}, {}});
        own_.insert(own);
        std::optional<NamedMessage> message;
        if (of_input != nullptr) {
            const auto gradient = add_whole(layer.name + ".input_gradients", layer.inputs);
            add(*of_input, {layer.weight, own}, gradient);
            message = add_sized_message(layer.name + ".input_gradients", rows_.all() * layer.inputs);
            add_copy(Kind::pack, gradient, message->bucket.storage, 0);
            exchange(Kind::exchange_start, ExchangeVerb::push, *message, rows_of(layer.inputs));
        }
        add(of_weight, {*layer.all_inputs, own}, of_weight.outputs.at(0));
        if (!message) return;
        exchange(Kind::exchange_wait, ExchangeVerb::push, *message, rows_of(layer.inputs));
        if (rows_.own() == 0) return;
        add_copy(Kind::unpack, message->bucket.storage, of_input->outputs.at(0),
                 rows_.before(rows_.rank()) * layer.inputs);
    }

    /// The rows of all ranks, of which each has its own.
    TensorId gather_rows(const std::string& name, TensorId own, std::int64_t columns) {
        const auto message = add_sized_message(name, rows_.all() * columns);
        if (rows_.own() > 0)
            add_copy(Kind::pack, own, message.bucket.storage, rows_.before(rows_.rank()) * columns);
        pull_from_all(message, rows_of(columns));
        const auto all = add_whole(name + ".all", columns);
        add_copy(Kind::unpack, message.bucket.storage, all, 0);
        return all;
    }

    [[nodiscard]] std::function<ElementRange(std::int64_t)> rows_of(std::int64_t columns) const {
        return [this, columns](std::int64_t rank) {
            return range(rows_.before(rank) * columns, rows_.count(rank) * columns);
        };
    }

    /// Each rank sends its part of the message to all others.
    void pull_from_all(const NamedMessage& message, const std::function<ElementRange(std::int64_t)>& part) {
        exchange(Kind::exchange_start, ExchangeVerb::pull, message, part);
        exchange(Kind::exchange_wait, ExchangeVerb::pull, message, part);
    }

    /// One exchange for each rank, which is its root, of the rank's part.
    void exchange(Kind kind, ExchangeVerb verb, const NamedMessage& message,
                  const std::function<ElementRange(std::int64_t)>& part) {
        for (std::int64_t rank = 0; rank < rows_.ranks(); ++rank) {
            if (part(rank).count == 0) continue;
            const Exchange rooted{.verb = verb,
                                  .group = program_.group,
                                  .root = rank,
                                  .options = {.segment_bytes = segment_bytes_}};
            program_.operators.push_back(exchange_message(kind, fmt::format("{}.rank_{}", message.name, rank),
                                                          message.bucket,
                                                          {.exchange = rooted, .range = part(rank)}));
        }
    }

    /// The name of its bucket has the batch, since another batch needs another size.
    NamedMessage add_sized_message(std::string name, std::int64_t elements) {
        const auto sized = fmt::format("{}_of_{}", name, rows_.all());
        return {add_message(program_, sized, elements), std::move(name)};
    }
    /// Rows of the whole batch.
    TensorId add_whole(const std::string& name, std::int64_t columns) {
        return add_tensor({name, Shape{rows_.all(), columns}, TensorRole::activation, false});
    }
    /// Rows of the own examples.
    TensorId add_own(const std::string& name, std::int64_t columns) {
        return add_tensor({name, Shape{rows_.own(), columns}, TensorRole::activation, true});
    }
    TensorId add_tensor(TensorInfo info) {
        check_size(info);
        program_.tensors.push_back(std::move(info));
        return static_cast<TensorId>(program_.tensors.size() - 1);
    }
    void add_copy(Kind kind, TensorId from, TensorId to, std::int64_t first) {
        const auto& name = program_.tensor(kind == Kind::pack ? from : to).name;
        program_.operators.push_back(copy_message(kind, name, from, to, first));
    }
    /// The product of this operator, of other tensors.
    void add(const Operator& product, std::vector<TensorId> inputs, TensorId output) {
        program_.operators.push_back(
            {product.kind, product.name, product.pass, std::move(inputs), {output}, product.attributes, {}});
        own_.insert(output);
    }

    Program& program_;
    BatchRows rows_;
    std::int64_t segment_bytes_;
    std::map<TensorId, CutLayer> layers_;  // by weight
    std::map<TensorId, TensorId> weight_by_gradient_;
    OwnTensors own_;
};

}  // namespace

OwnTensors cut_dense_layers(Program& program, std::span<const std::string> weights,
                            std::span<const std::int64_t> examples, std::int64_t segment_bytes) {
    return DenseCut(program, {examples, program.rank}, segment_bytes).run(weights);
}

}  // namespace convoy
