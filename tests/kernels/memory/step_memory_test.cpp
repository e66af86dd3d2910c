#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>

#include "kernels/case_lists.hpp"
#include "kernels/onednn/onednn_backend.hpp"
#include "kernels/steps.hpp"
#include "nn/network.hpp"
#include "nn/zoo.hpp"
#include "program/executor.hpp"
#include "strategy/programs.hpp"

/// A program of its own, since it replaces operator new: what a step asks of the heap.
namespace {

std::atomic<bool> watching = false;
std::atomic<std::size_t> largest_request = 0;

void* counted(std::size_t bytes, std::size_t alignment) {
    if (watching) largest_request = std::max<std::size_t>(largest_request, bytes);
    void* memory = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

void* operator new(std::size_t bytes) {
    return counted(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return counted(bytes, static_cast<std::size_t>(alignment));
}
// The default one calls the first, but a sanitizer's does not.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    try {
        return counted(bytes, alignof(std::max_align_t));
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}

namespace {

using namespace convoy;
using namespace convoy::test;

/// Of the heap that a step asks for at once, at most: oneDNN's interface copies the list of a primitive's
/// arguments. No tensor of mnist_cnn's is that small but its biases.
constexpr std::size_t most_bytes_at_once = 2048;

class NoPeers final : public Communicator {
  public:
    Ticket start(ReduceBuffer, const Exchange&) override { return {}; }
    ExchangeTimes wait(Ticket) override { return {}; }
    std::size_t wait_any(std::span<const Ticket>) override { return 0; }
    void drain() noexcept override {}
    [[nodiscard]] Traffic traffic() const override { return {}; }
};

class SameBatch final : public BatchSource {
  public:
    explicit SameBatch(const OwnedBatch& batch) : batch_(batch) {}
    Batch next() override { return batch_.view(); }

  private:
    const OwnedBatch& batch_;
};

}  // namespace

TEST_CASE("a training step takes no tensor memory from the heap, and keeps none") {
    const auto model = GENERATE(resolve_model({.name = "mnist_cnn", .input = {}, .layers = {}}),
                                two_input_network(), own_loops_network());
    const auto classes = std::get<DenseLayer>(model.layers.back().layer).units;
    const auto graph = training_graph(model, Adadelta{}, model.input, classes);
    const auto programs = compile_for({16}, {.name = StrategyName::local}, graph);
    KernelSpec kernels;
    kernels.compute_type = GENERATE(ComputeType::float32, ComputeType::bfloat16);
    const auto backend = make_onednn_backend(kernels, 1, 1);
    const auto bound = backend->bind(programs);
    write_random_parameters(*backend, programs.front());
    const auto batch = random_batch(16, model.input, classes, 3);
    SameBatch source(batch);
    NoPeers alone;
    OperatorTimer timer(0, RunPhase::train, {1, 2});
    StepState state;
    Executor executor(*bound.front(), alone, timer, state);

    constexpr int warm_up = 20;
    constexpr int steps = 5;
    timer.begin_epoch(1, warm_up + steps, 4);
    // Until the small pieces that oneDNN asks for and frees are all in the heap's own lists, which count as
    // taken.
    for (int step = 1; step <= warm_up; ++step) {
        timer.begin_step(step);
        executor.run(source, {.seed = 1, .examples = {}});
    }
    const auto before = ::mallinfo2().uordblks;
    watching = true;
    for (int step = 1; step <= steps; ++step) {
        timer.begin_step(warm_up + step);
        executor.run(source, {.seed = 1, .step = step, .examples = {}});
    }
    watching = false;
    const auto after = ::mallinfo2().uordblks;
    CHECK(largest_request <= most_bytes_at_once);
    CHECK(after <= before);
}
