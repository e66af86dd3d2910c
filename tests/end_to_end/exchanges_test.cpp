#include <catch2/catch.hpp>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

TEST_CASE("local SGD that averages after every step is SGD on the whole batch, and seldom is not",
          "[large]") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["optimizer"] = {{"name", "sgd"}, {"learning_rate", 0.1}};
    spec["nodes"] = nodes(3);
    for (const std::string kernels : {"onednn", "xtensor"}) {
        spec["kernels"] = {{"name", kernels}};
        spec["strategy"] = "ring_allreduce";
        const auto together = run_spec(folder, spec, kernels + "-together");
        const auto run_with = [&](int average_every, const std::string& name) {
            spec["strategy"] = {
                {"name", "local_sgd"}, {"average_every", average_every}, {"bucket_bytes", 1024}};
            return run_spec(folder, spec, kernels + name);
        };
        check_same_losses(losses_of(together), losses_of(run_with(1, "-each")), 10);

        // Nobody hears of another before the evaluation: the losses are those of nodes alone.
        const auto seldom = run_with(1000, "-seldom");
        spec["strategy"] = "independent";
        const auto alone = run_spec(folder, spec, kernels + "-alone");
        CHECK(global_losses_of(seldom) == global_losses_of(alone));
        CHECK(text_of(seldom / "weights.safetensors") != text_of(alone / "weights.safetensors"));
        CHECK(text_of(run_with(4, "-some") / "weights.safetensors") ==
              text_of(run_with(4, "-again") / "weights.safetensors"));
    }
}

TEST_CASE("sums behind the next step's forward pass, and on several connections, change no bit", "[large]") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["dataset"]["train_examples"] = 101;  // of the last batch two nodes have no share
    spec["batch_size"] = 25;
    spec["nodes"] = nodes(3);
    spec["epochs"] = 2;
    spec["optimizer"] = "adam";
    spec["schedule"] = "cosine";
    spec["kernels"] = GENERATE("onednn", "xtensor");
    const auto bytes = GENERATE(1, 4096);
    spec["strategy"] = {{"bucket_bytes", bytes}};
    const auto plain = run_spec(folder, spec, "plain");
    spec["strategy"] = {{"bucket_bytes", bytes}, {"overlap_forward", true}, {"connections", 3}};
    const auto carried = run_spec(folder, spec, "carried");
    CHECK(text_of(carried / "weights.safetensors") == text_of(plain / "weights.safetensors"));
    CHECK(global_losses_of(carried) == global_losses_of(plain));
}

TEST_CASE("gradients that travel in two bytes are half as many, and training hardly differs") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["measure"]["trace_steps"] = 0;
    const auto whole = run_spec(folder, spec, "float32");
    const auto sent = [](const std::filesystem::path& run) {
        return json_of(run / "summary.json").at("communication").at("bytes_sent_per_node")[0].get<double>();
    };
    for (const auto* type : {"float16", "bfloat16"}) {
        CAPTURE(type);
        spec["strategy"]["wire_type"] = type;
        const auto run = run_spec(folder, spec, type);
        CHECK(sent(run) == Approx(sent(whole) / 2).epsilon(0.1));
        const auto expected = losses_of(whole), found = losses_of(run);
        REQUIRE(found.size() == expected.size());
        CHECK(found.back() != expected.back());
        CHECK(found.back() == Approx(expected.back()).margin(0.05));
        CHECK(text_of(run / "weights.safetensors").size() == text_of(whole / "weights.safetensors").size());
    }
}

TEST_CASE("top_k that sends all is float32, on two nodes bit by bit, and less sends less", "[large]") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["dataset"]["train_examples"] = 101;  // the last batch has one example: a node has no share of it
    spec["batch_size"] = 25;
    spec["epochs"] = 3;
    spec["kernels"] = GENERATE("onednn", "xtensor");
    const auto dense = run_spec(folder, spec, "dense");
    spec["strategy"]["wire_type"] = "top_k";
    spec["strategy"]["top_k"] = {{"fraction", 1.0}};
    const auto all = run_spec(folder, spec, "all");
    CHECK(text_of(all / "weights.safetensors") == text_of(dense / "weights.safetensors"));
    CHECK(global_losses_of(all) == global_losses_of(dense));

    spec["strategy"]["top_k"] = {{"fraction", 0.1}};
    const auto some = run_spec(folder, spec, "some");
    spec["strategy"]["overlap_forward"] = true;
    spec["strategy"]["connections"] = 2;
    const auto carried = run_spec(folder, spec, "carried");
    CHECK(text_of(some / "weights.safetensors") != text_of(dense / "weights.safetensors"));
    CHECK(text_of(some / "weights.safetensors") == text_of(carried / "weights.safetensors"));
    CHECK(global_losses_of(some) == global_losses_of(carried));
    const auto sent = [](const std::filesystem::path& run) {
        const auto summary = json_of(run / "summary.json");
        return summary.at("communication").at("bytes_sent_per_node").at(0).get<double>();
    };
    CHECK(sent(some) < 0.35 * sent(dense));
    CHECK(sent(all) > 1.9 * sent(dense));
}

TEST_CASE("with top_k losses fall, to the same bits every time, and a plan says what travels", "[large]") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["epochs"] = 8;
    spec["nodes"] = nodes(3);
    spec["strategy"]["wire_type"] = "top_k";
    spec["strategy"]["top_k"] = {{"fraction", 0.1}};
    const auto run = run_spec(folder, spec, "run");
    const auto epoch = [&](std::size_t row) {
        return std::stod(rows_of(run / "epochs.csv").at(row).at("train_loss").get<std::string>());
    };
    CHECK(epoch(7) < epoch(0) - 0.25);
    CHECK(text_of(run / "weights.safetensors") ==
          text_of(run_spec(folder, spec, "again") / "weights.safetensors"));
    const auto plan = run_convoy({"plan", write_spec(folder, spec)});
    CHECK_THAT(plan.out, Contains(" gathering of top_k 0.1 on connection 0"));
}
