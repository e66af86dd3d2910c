#include "train/memory_check.hpp"

#include <catch2/catch.hpp>

using namespace convoy;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

ExperimentSpec spec_of(std::size_t nodes) {
    ExperimentSpec spec;
    spec.model.name = "mnist_cnn";
    spec.nodes.assign(nodes, NodeSpec{.threads = 1});
    spec.batch_size = 64;
    return spec;
}

DataShape shape() {
    return {.example = Shape{1, 28, 28},
            .classes = 10,
            .sizes = {.train = 640, .validation = 0, .test = 64},
            .example_bytes = 784};
}

RunNeed need_of(const ExperimentSpec& spec) {
    return run_need(spec, shape(), compile(spec, shape(), hosts_of(spec)));
}

HostRoom room(std::uint64_t bytes) {
    return {.machine = {bytes, "the test"}, .process = {}};
}

}  // namespace

TEST_CASE("a run that needs more than there is is refused with the tensor that needs most and a remedy") {
    const auto spec = spec_of(2);
    const auto need = need_of(spec);
    const auto total = static_cast<std::uint64_t>(need.of_host(spec, 0));
    CHECK(total == 2 * static_cast<std::uint64_t>(need.by_rank().at(0)->total()));
    CHECK_FALSE(does_not_fit(need, spec, room(total)));
    const auto line = does_not_fit(need, spec, room(total - 1));
    REQUIRE(line);
    CHECK_THAT(*line, StartsWith("does not fit into memory: ranks 0 to 1 together need at least "));
    CHECK_THAT(*line, Contains("and the test leaves"));
    CHECK_THAT(*line, Contains("needs the most"));
    CHECK_THAT(*line, Contains("$.batch_size"));
    CHECK(line->find('\n') == std::string::npos);
}

TEST_CASE("nodes that are started by hand need nothing here, and each checks itself") {
    const auto spec = spec_of(2);
    const auto need = need_of(spec);
    const auto one = static_cast<std::uint64_t>(need.by_rank().at(1)->total());
    CHECK(does_not_fit(need, spec, room(one)));
    CHECK_FALSE(does_not_fit(need, spec, room(one), 1));
    CHECK_FALSE(does_not_fit(*need.by_rank().at(1), 1, room(one)));
    CHECK_THAT(*does_not_fit(*need.by_rank().at(1), 1, room(one - 1)), Contains("rank 1 needs at least"));
}

TEST_CASE("each process has a limit of its own, and each emulated host") {
    auto spec = spec_of(2);
    const auto need = need_of(spec);
    const auto one = static_cast<std::uint64_t>(need.by_rank().at(0)->total());
    auto here = room(10 * one);
    here.process = MemoryRoom{one - 1, "ulimit"};
    CHECK_THAT(*does_not_fit(need, spec, here), Contains("rank 0 needs") && Contains("ulimit leaves"));
    here.process->bytes = one;
    CHECK_FALSE(does_not_fit(need, spec, here));
    constexpr std::int64_t megabyte = 1'000'000;
    spec.cluster = ClusterSpec{.hosts = 1, .memory_mb = static_cast<std::int64_t>(one) / megabyte};
    CHECK_THAT(*does_not_fit(need, spec, here), Contains("$.cluster.memory_mb of host 0 leaves"));
    spec.cluster->hosts = 2;
    spec.cluster->memory_mb = static_cast<std::int64_t>(one) / megabyte + 1;
    CHECK_FALSE(does_not_fit(need, spec, here));
}

TEST_CASE("data counts as the input pipeline keeps it") {
    auto spec = spec_of(1);
    const auto data = [&] { return need_of(spec).by_rank().at(0)->of(MemoryPart::data); };
    spec.input_pipeline.prefetch = 0;
    constexpr std::int64_t examples = 704, labels = 4 * examples, batch = 64 * 784 * 4;
    CHECK(data() == labels + examples * 784 + batch);
    spec.input_pipeline.cache = false;
    CHECK(data() == labels + batch);
    const NpyInput images{.files = {"a.h5:/x", "b.h5:/x"}, .test_files = {{"c.h5:/x"}}};
    spec.dataset.npy = NpySpec{.format = ArrayFormat::hdf5, .inputs = {images}, .chunk_cache_bytes = 100'000};
    CHECK(data() == labels + batch + 300'000);
    spec.dataset.npy->chunk_cache_bytes = std::int64_t{1} << 40U;
    CHECK(data() == labels + batch + examples * 784);
    spec.dataset.npy.reset();
    spec.input_pipeline.prepare = Prepare::ahead;
    CHECK(data() == labels + batch + examples * 784 * 4);
    spec.input_pipeline.store = PreparedStore::disk;
    CHECK(data() == labels + batch);
}

TEST_CASE("copies of the tensors that a node compares, saves or checkpoints count once, by the largest") {
    auto spec = spec_of(2);
    const auto copies = [&](std::size_t rank) {
        return need_of(spec).by_rank().at(rank)->of(MemoryPart::copies);
    };
    const auto parameters = need_of(spec).by_rank().at(0)->of(MemoryPart::parameters);
    constexpr std::int64_t largest = 4 * 9216 * 128;  // which is read at a time
    CHECK(copies(0) == parameters + largest);
    CHECK(copies(1) == parameters + largest);  // it saves nothing, and compares all
    spec.checkpoints = CheckpointSpec{};
    spec.optimizer = Adam{};
    CHECK(copies(0) == 3 * parameters + largest);
}

TEST_CASE("the need is told for each class of nodes and for each host") {
    const auto spec = spec_of(2);
    const auto text = need_text(need_of(spec), spec);
    CHECK_THAT(text, Contains("ranks 0 to 1"));
    CHECK_THAT(text, Contains("parameters") && Contains("slots") && Contains("activations"));
    CHECK_THAT(text, Contains("all nodes of host 0: "));
}

TEST_CASE("an evaluation needs its parameters and activations, and nothing to train with") {
    const auto spec = spec_of(1);
    const auto batches = evaluation_plan(spec, 64, one_replica_each(1));
    const auto need = evaluation_need(spec, evaluation_programs(spec, shape(), batches));
    CHECK(need.of(MemoryPart::parameters) == need_of(spec).by_rank().at(0)->of(MemoryPart::parameters));
    CHECK(need.of(MemoryPart::activations) > 0);
    CHECK(need.of(MemoryPart::slots) == 0);
    CHECK(need.of(MemoryPart::gradients) == 0);
    CHECK(need.of(MemoryPart::copies) == 2 * need.of(MemoryPart::parameters));
}
