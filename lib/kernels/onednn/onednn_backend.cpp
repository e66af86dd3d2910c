#include "kernels/onednn/onednn_backend.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/lack_of_memory.hpp"
#include "kernels/onednn/loops.hpp"
#include "kernels/onednn/planner.hpp"
#include "kernels/onednn/stored.hpp"
#include "program/inputs.hpp"

namespace convoy::onednn {
namespace {

class ActionKernel final : public Kernel {
  public:
    explicit ActionKernel(Action action) : action_(std::move(action)) {}
    void run(const StepContext& context) override { action_(context); }

  private:
    Action action_;
};

class OnednnProgram final : public BoundProgram {
  public:
    OnednnProgram(const Planner& planner, const MemoryPlan& plan, std::byte* arena, std::byte* scratch)
        : program_(planner.program()),
          activation_bytes_(planner.compute_type() == DataType::bf16 ? 2 : 4),
          addresses_(planner.addresses(plan, arena, scratch)),
          kernels_(program_.operators.size()) {
        for (const auto& [position, recipe] : planner.recipes()) {
            kernels_[position].push_back(
                {recipe.operator_name, recipe.name, std::make_unique<ActionKernel>(recipe.make(addresses_))});
        }
        for (std::size_t i = 0; i < program_.tensors.size(); ++i) remember(planner, static_cast<TensorId>(i));
        for (const auto& bucket : program_.buckets)
            buckets_.push_back(values<float>(places_.at(bucket.storage)));
    }

    [[nodiscard]] const Program& program() const override { return program_; }
    std::span<BoundKernel> kernels(std::size_t operator_index) override {
        return kernels_.at(operator_index);
    }
    [[nodiscard]] std::int64_t activation_bytes() const override { return activation_bytes_; }
    std::span<float> bucket(std::size_t bucket_index) override { return buckets_.at(bucket_index); }

    void feed(std::size_t operator_index, const Batch& batch) override {
        if (batch.size() == 0) return;
        const auto& dataset = program_.operators.at(operator_index);
        const auto& place = places_.at(dataset.outputs.at(0));
        if (reads(dataset, ReadThing::labels)) {
            std::ranges::copy(labels_for(program_, dataset, batch),
                              reinterpret_cast<std::int32_t*>(place.data));
            return;
        }
        put_input(program_, dataset, batch, [&](std::span<const float> piece, std::size_t first) {
            if (place.layout.desc.data_type() == DataType::bf16) {
                loops::round_to_bfloat16(piece, values<Bfloat16>(place).subspan(first, piece.size()));
            } else {
                std::ranges::copy(piece, values<float>(place).subspan(first).begin());
            }
        });
    }

    [[nodiscard]] StepMetrics metrics() const override {
        const auto found = numbers_of(TensorRole::metrics);
        if (found.empty()) return {};
        if (std::isnan(found[0])) return {found[0], 0};
        return {found[0], static_cast<std::int64_t>(found[1])};
    }

    [[nodiscard]] std::optional<double> told(TensorRole role) const override {
        const auto found = numbers_of(role);
        if (found.empty()) return std::nullopt;
        return found[0];
    }

    [[nodiscard]] std::vector<float> read(TensorId id) const override {
        const auto& place = places_.at(id);
        return to_plain(place.layout, place.data);
    }

  private:
    struct Place {
        Layout layout;
        std::byte* data;
    };

    void remember(const Planner& planner, TensorId id) {
        if (!planner.has(id)) return;
        places_.emplace(id, Place{planner.layout(id), addresses_.of(planner.storage(id))});
    }
    /// What the one tensor of this role holds; nothing where the program has none.
    [[nodiscard]] std::span<const float> numbers_of(TensorRole role) const {
        const auto found = std::ranges::find(program_.tensors, role, &TensorInfo::role);
        const auto id = static_cast<TensorId>(found - program_.tensors.begin());
        if (found == program_.tensors.end() || !places_.contains(id)) return {};
        return values<float>(places_.at(id));
    }
    template <typename T>
    static std::span<T> values(const Place& place) {
        return {reinterpret_cast<T*>(place.data), static_cast<std::size_t>(place.layout.stored_elements())};
    }

    const Program& program_;
    std::int64_t activation_bytes_;
    Addresses addresses_;
    std::vector<std::vector<BoundKernel>> kernels_;
    std::map<TensorId, Place> places_;
    std::vector<std::span<float>> buckets_;
};

class OnednnBackend final : public Backend {
  public:
    OnednnBackend(const KernelSpec& spec, int threads, int layout_threads)
        : spec_(spec), threads_(threads), layout_threads_(layout_threads) {
        spec_.compute_type = onednn_compute_type(spec);
        omp_set_num_threads(threads);
    }

    std::vector<std::unique_ptr<BoundProgram>> bind(std::span<const Program> programs,
                                                    std::span<const Program> layouts) override {
        auto before = std::exchange(store_, {});
        try {
            choose_layouts(layouts.empty() ? programs : layouts);
            auto bound = plan_and_bind(programs);
            keep(programs, before);
            return bound;
        } catch (...) {
            store_ = std::move(before);
            throw;
        }
    }

    void write(const std::string& tensor, std::span<const float> values) override {
        store_.write(tensor, values);
    }
    [[nodiscard]] std::vector<float> read(const std::string& tensor) const override {
        return store_.read(tensor);
    }
    [[nodiscard]] std::string layout_fingerprint(std::span<const std::string> parameters) const override {
        return store_.text(parameters);
    }

  private:
    std::vector<std::unique_ptr<BoundProgram>> plan_and_bind(std::span<const Program> programs) {
        std::vector<Planner> planners;
        std::vector<MemoryPlan> plans;
        std::size_t arena_bytes = 0;
        std::size_t scratch_bytes = 0;
        planners.reserve(programs.size());
        for (const auto& program : programs) {
            auto& planner = planners.emplace_back(program, store_, spec_, threads_);
            planner.plan();
            plans.push_back(planner.memory());
            arena_bytes = std::max(arena_bytes, plans.back().bytes);
            scratch_bytes = std::max(scratch_bytes, planner.scratch_bytes());
        }
        for (const auto& program : programs) start_slots(program);
        with_memory([&] { arena_ = AlignedBuffer(arena_bytes); },
                    [&] { return fmt::format("the activations of {} bytes", arena_bytes); });
        with_memory([&] { scratch_ = AlignedBuffer(scratch_bytes); },
                    [&] { return fmt::format("the scratchpad of oneDNN of {} bytes", scratch_bytes); });
        std::vector<std::unique_ptr<BoundProgram>> bound;
        for (std::size_t i = 0; i < planners.size(); ++i) {
            bound.push_back(
                std::make_unique<OnednnProgram>(planners[i], plans[i], arena_.data(), scratch_.data()));
        }
        return bound;
    }

    /// Gives tensors of these programs the values that they had before, and notes which outlive the binding.
    void keep(std::span<const Program> programs, const ParameterStore& before) {
        auto kept = kept_tensors(programs);
        std::erase_if(kept, [&](const std::string& name) { return store_.layout(name) == nullptr; });
        for (const auto& name : kept_) {
            if (kept.contains(name)) store_.write(name, before.read(name));
        }
        kept_ = std::move(kept);
    }

    /// Decides how all parameters lie in memory as every other rank does: from the largest share and the most
    /// threads of any, whatever this one has. oneDNN likes other formats for other shares and threads.
    void choose_layouts(std::span<const Program> programs) {
        omp_set_num_threads(layout_threads_);
        for (const auto& program : programs) {
            auto largest = with_batch(program, std::max(program.layout_batch, program.batch));
            // Products choose, and updates take what they chose, also where updates of the step before are
            // first.
            std::stable_partition(largest.operators.begin(), largest.operators.end(),
                                  [](const Operator& op) { return op.pass != Pass::update; });
            Planner(largest, store_, spec_, layout_threads_).plan();
        }
        omp_set_num_threads(threads_);
    }

    /// Programs without updates, such as those for evaluation, have no slots of their parameters.
    void start_slots(const Program& program) {
        for (const auto& parameter : program.parameters) {
            for (const auto slot : parameter.slots) {
                const auto& info = program.tensor(slot);
                if (store_.layout(info.name) == nullptr) continue;
                const auto elements = static_cast<std::size_t>(info.shape.elements());
                store_.write(info.name,
                             std::vector<float>(elements, static_cast<float>(parameter.slot_start)));
            }
        }
    }

    KernelSpec spec_;
    int threads_;
    int layout_threads_;
    ParameterStore store_;
    std::set<std::string> kept_;  // parameters, slots and residuals in the store
    AlignedBuffer arena_;
    AlignedBuffer scratch_;
};

}  // namespace
}  // namespace convoy::onednn

namespace convoy {

ComputeType onednn_compute_type(const KernelSpec& spec) {
    // oneDNN would emulate the instructions that are missing, at less than the speed of float32.
    constexpr unsigned wanted = dnnl_cpu_isa_avx512_core_bf16;
    const auto found = static_cast<unsigned>(dnnl_get_effective_cpu_isa());
    return (found & wanted) == wanted ? spec.compute_type : ComputeType::float32;
}

std::unique_ptr<Backend> make_onednn_backend(const KernelSpec& spec, int threads, int layout_threads) {
    return std::make_unique<onednn::OnednnBackend>(spec, threads, layout_threads);
}

}  // namespace convoy
