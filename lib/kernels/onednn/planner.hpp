#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/onednn/layout.hpp"
#include "kernels/onednn/memory_plan.hpp"
#include "kernels/onednn/parameter_store.hpp"
#include "kernels/onednn/recipe.hpp"
#include "program/program.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy::onednn {

/// The formats that a convolution's forward pass chose, for its backward pass.
struct ConvolutionFormats {
    Desc source;
    Desc result;
};

/// Binds one program, operator by operator: it chooses layouts, assigns storage, and collects recipes. The
/// functions that plan an operator kind (convolution.cpp, product.cpp, ...) use this class.
class Planner {
  public:
    /// program: outlives the planner and is not changed.
    Planner(const Program& program, ParameterStore& store, const KernelSpec& spec, int threads);

    [[nodiscard]] const Program& program() const { return program_; }
    [[nodiscard]] const KernelSpec& spec() const { return spec_; }
    [[nodiscard]] int threads() const { return threads_; }
    /// The compute type of activations, their gradients, and the weights that products read.
    [[nodiscard]] DataType compute_type() const {
        return spec_.compute_type == ComputeType::bfloat16 ? DataType::bf16 : DataType::f32;
    }

    /// A parameter in this format, for a primitive. It is the parameter itself, or a copy in the compute
    /// type, whose format is free.
    [[nodiscard]] Desc as_operand(const Desc& parameter) const;

    /// The layout of a tensor that was planned.
    [[nodiscard]] const Layout& layout(TensorId id) const;
    [[nodiscard]] StorageId storage(TensorId id) const;
    [[nodiscard]] bool has(TensorId id) const {
        return tensor_storage_.contains(id);
    }  ///< whether it was planned
    [[nodiscard]] bool is_read(TensorId id) const { return read_.at(convoy::index(id)); }
    /// Whether an operator reads the tensor that wants its values in plain order: a part of its channels, or
    /// rows of all values of an example.
    [[nodiscard]] bool is_read_plain(TensorId id) const { return read_plain_.at(convoy::index(id)); }

    /// Sets the layout of an activation, and gives it memory in the arena.
    StorageId place(TensorId id, const Desc& desc);
    /// The result is the input's own memory, in its own format; a gradient N,F in plain order becomes N,C,H,W
    /// in plain order.
    void alias(TensorId result, TensorId input);
    /// Memory in the arena that is not a tensor of the program.
    StorageId temporary(std::size_t bytes);
    /// The memory of a tensor in this format (and type). It is the tensor's own memory, or a copy by a
    /// reorder, which has a row of its own in the operator table. A parameter is copied once for each format,
    /// since all operators that read it stand before its update.
    StorageId in_format(TensorId id, const Desc& wanted);
    /// A flattened or plain tensor N,F in plain order.
    StorageId in_plain_rows(TensorId id, DataType type);

    /// The layout of a parameter: the layout that an earlier program of this back-end chose, or else the
    /// result of `choose`. Gradients and slots have the same layout.
    template <typename Choose>
    const Layout& parameter_layout(TensorId id, const Choose& choose) {
        const auto& name = program_.tensor(id).name;
        if (store_.layout(name) == nullptr) store_.claim(name, choose());
        adopt(id, name);
        return layout(id);
    }
    /// Gives a gradient or slot the layout of its parameter, in a bucket or in memory of its own.
    StorageId persistent(TensorId id);
    /// The memory into which an operator writes a gradient in the `produced` format, and the reorder behind
    /// it.
    StorageId gradient_target(TensorId id, const Desc& produced);
    void deliver_gradient(TensorId id, const Desc& produced, StorageId from);

    void add(Recipe recipe) { recipes_.push_back({current_, std::move(recipe)}); }
    /// A recipe of one primitive.
    void add_call(const Operator& op, PrimitiveCall call);

    /// A weight, and the number of examples that it meets: micro-batches of one program may differ.
    using WeightAndExamples = std::pair<TensorId, std::int64_t>;
    std::map<WeightAndExamples, ConvolutionFormats> convolutions;
    std::map<WeightAndExamples, Desc> product_sources;                       ///< the format of x
    std::map<TensorId, dnnl::pooling_v2_forward::primitive_desc> max_pools;  ///< by argmax

    /// Plans the whole program. The result is in the members below.
    void plan();

    struct Planned {
        std::size_t operator_index;
        Recipe recipe;
    };
    [[nodiscard]] const std::vector<Planned>& recipes() const { return recipes_; }
    [[nodiscard]] std::size_t scratch_bytes() const;
    [[nodiscard]] MemoryPlan memory() const;
    /// The addresses of all storages in this arena and this scratchpad.
    [[nodiscard]] Addresses addresses(const MemoryPlan& plan, std::byte* arena, std::byte* scratch) const;

  private:
    struct Storage {
        std::size_t bytes = 0;
        std::byte* fixed = nullptr;  ///< null: in the arena
        bool to_the_end = false;     ///< an output of the program, in use until after the last operator
    };
    void claim_bucket(const Bucket& bucket);
    void adopt(TensorId id, const std::string& name);
    StorageId new_storage(Storage storage);
    void add_reorder(const std::string& name, const Desc& from_desc, StorageId from, const Desc& to_desc,
                     StorageId to);
    [[nodiscard]] std::vector<Lifetime> lifetimes() const;

    const Program& program_;
    ParameterStore& store_;
    const KernelSpec& spec_;
    int threads_;
    std::vector<bool> read_;                          // by tensor: whether an operator reads it
    std::vector<bool> read_plain_;                    // by tensor, see is_read_plain
    std::map<TensorId, const Parameter*> owners_;     // by gradient, slot or residual
    std::map<TensorId, std::byte*> place_in_bucket_;  // by gradient, moving statistic or residual
    std::size_t current_ = 0;
    std::vector<Storage> storages_;
    std::map<TensorId, Layout> layouts_;
    std::map<TensorId, StorageId> tensor_storage_;
    std::map<TensorId, std::vector<std::pair<Desc, StorageId>>> parameter_copies_;
    std::vector<Planned> recipes_;
    std::map<TensorId, std::size_t> fed_before_;  // by tensor of a batch: the recipe before which it is fed
};

// One for each family of operator kinds; each plans one operator.
void plan_convolution(Planner& planner, const Operator& op);
void plan_convolution_filter_gradient(Planner& planner, const Operator& op);
void plan_convolution_input_gradient(Planner& planner, const Operator& op);
void plan_product(Planner& planner, const Operator& op);
void plan_product_weight_gradient(Planner& planner, const Operator& op);
void plan_product_input_gradient(Planner& planner, const Operator& op);
void plan_pooling(Planner& planner, const Operator& op);
void plan_pooling_gradient(Planner& planner, const Operator& op);
void plan_batch_norm(Planner& planner, const Operator& op);
void plan_elementwise(Planner& planner, const Operator& op);
void plan_concat(Planner& planner, const Operator& op);
void plan_slice(Planner& planner, const Operator& op);
void plan_pack(Planner& planner, const Operator& op);
void plan_unpack(Planner& planner, const Operator& op);
void plan_dropout(Planner& planner, const Operator& op);
void plan_loss(Planner& planner, const Operator& op);
void plan_clipping(Planner& planner, const Operator& op);
void plan_update(Planner& planner, const Operator& op);

}  // namespace convoy::onednn
