#include "checkpoint/other_cut.hpp"

#include <catch2/catch.hpp>

#include "base/error_line.hpp"
#include "checkpoint/example.hpp"
#include "tensor/tensor_parts.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

namespace {

std::vector<std::byte> file(std::vector<TensorPart> parts) {
    return encode_parts(parts);
}

TensorPart vector_of(const std::string& name, std::vector<float> values) {
    return whole_part({name, Shape{static_cast<std::int64_t>(values.size())}, std::move(values)});
}

/// A checkpoint of two nodes with these tensors.
RunCheckpoint with_tensors(std::vector<std::byte> of_node_0, std::vector<std::byte> of_node_1) {
    auto checkpoint = example_checkpoint().checkpoint;
    checkpoint.nodes[0].tensors = std::move(of_node_0);
    checkpoint.nodes[1].tensors = std::move(of_node_1);
    return checkpoint;
}

std::vector<NamedTensor> tensors_of(const RunCheckpoint& checkpoint) {
    for (std::size_t rank = 1; rank < checkpoint.nodes.size(); ++rank)
        CHECK(checkpoint.nodes[rank].tensors.empty());
    return decode_safetensors(checkpoint.nodes[0].tensors, "the result");
}

}  // namespace

TEST_CASE("tensors of a checkpoint are put together from the parts of its nodes") {
    const auto before =
        with_tensors(file({vector_of("a.weight", {1, 2}),
                           {"b.weight", Shape{3}, {.axis = 0, .first = 0, .count = 1}, {3.0F}}}),
                     file({{"b.weight", Shape{3}, {.axis = 0, .first = 1, .count = 2}, {4.0F, 5.0F}}}));
    CHECK(tensors_of(cut_anew(before, 3).checkpoint) ==
          std::vector<NamedTensor>{{"a.weight", Shape{2}, {1, 2}}, {"b.weight", Shape{3}, {3, 4, 5}}});
}

TEST_CASE("replicas that differ become their mean, and new ranks share the sum of the residuals") {
    const auto before = with_tensors(file({vector_of("a", {1, 2}), vector_of("a/residual", {8, 0})}),
                                     file({vector_of("a", {3, 2}), vector_of("a/residual", {4, 1})}));
    CHECK(tensors_of(cut_anew(before, 4).checkpoint) ==
          std::vector<NamedTensor>{{"a", Shape{2}, {2, 2}}, {"a/residual", Shape{2}, {3, 0.25F}}});
}

TEST_CASE("a rank that is gone leaves its records, and a new one begins without") {
    const auto before = with_tensors(file({vector_of("a", {1})}), {});
    const auto cut = cut_anew(before, 1);
    const auto& one = cut.checkpoint;
    REQUIRE(one.nodes.size() == 1);
    CHECK(one.nodes[0].epoch == before.nodes[0].epoch);
    CHECK(one.marks == before.marks);
    auto totals = before.nodes[1].so_far;
    totals.train_s += before.nodes[1].epoch.train_s;
    CHECK(one.gone == std::vector{totals});
    REQUIRE(cut.last_records.size() == 1);
    const auto& last = cut.last_records.at(1);
    CHECK(last.epochs == std::vector{before.nodes[1].epoch});
    CHECK(last.steps == before.nodes[1].steps);
    REQUIRE(last.operators.size() == 1);
    CHECK(last.operators[0].node == 1);
    CHECK(last.operators[0].calls == 2);
    CHECK(last.operators[0].total_us == 1.5);

    const auto more = cut_anew(before, 3);
    const auto& three = more.checkpoint;
    REQUIRE(three.nodes.size() == 3);
    CHECK(three.nodes[1].steps == before.nodes[1].steps);
    const auto& added = three.nodes[2];
    CHECK(added.step == before.step());
    NodeEpochRecord nothing_yet;
    nothing_yet.node = 2;
    nothing_yet.epoch = before.nodes[0].epoch.epoch;
    CHECK(added.epoch == nothing_yet);
    CHECK(added.validation == before.nodes[0].validation);
    CHECK(added.steps.empty());
    CHECK(more.last_records.empty());

    // A rank that comes back goes on with its totals, and has one summary.
    const auto back = cut_anew(one, 2).checkpoint;
    CHECK(back.nodes[1].so_far == totals);
    CHECK(back.gone.empty());
}

TEST_CASE("a rank that is gone between two epochs leaves no epoch without steps") {
    auto before = with_tensors(file({vector_of("a", {1})}), {});
    before.nodes[1].steps.clear();
    CHECK(cut_anew(before, 1).last_records.at(1).epochs == std::vector{before.nodes[1].epoch});
    before.nodes[1].operators.clear();
    CHECK(cut_anew(before, 1).last_records.at(1).epochs.empty());
}

TEST_CASE("tensors that cannot be put together are refused with the name of the node") {
    auto damaged = with_tensors(file({vector_of("a", {1})}), file({vector_of("a", {1})}));
    damaged.nodes[1].tensors.pop_back();
    CHECK_THAT(error_line<DataError>([&] { cut_anew(damaged, 1); }), Contains("the checkpoint of node 1"));
}
