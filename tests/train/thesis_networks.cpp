#include "train/thesis_networks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <map>
#include <vector>

namespace convoy::test {
namespace {

constexpr const char* two_conv = R"({
    "dataset": {"images": "colour.npy", "test_images": "test_colour.npy"},
    "model": {"name": "two_conv", "filters": [6, 10]}})";

constexpr const char* resnet_v2 = R"({
    "dataset": {"images": "colour.npy", "test_images": "test_colour.npy"},
    "model": {"name": "resnet_v2", "depth": 11},
    "strategy": {"batch_norm_statistics": "synchronised"}})";

constexpr const char* landcover = R"({
    "dataset": {"name": "drawn_landcover", "images": null, "labels": null, "test_images": null,
                "test_labels": null, "classes": null, "train_examples": 66, "test_examples": 6},
    "model": "landcover"})";

}  // namespace

ThesisNetwork thesis_network(const std::string& name) {
    const std::map<std::string, ThesisNetwork> networks{{"mnist_cnn", {"{}"}},
                                                        {"two_conv", {two_conv}},
                                                        {"landcover", {landcover}},
                                                        {"resnet_v2", {resnet_v2, Networks::all}}};
    return networks.at(name);
}

TrainingCases one_of_each_strategy(int nodes) {
    const std::vector<int> equal(static_cast<std::size_t>(nodes), 1);
    const auto pipeline = R"({{"strategy": {{"name": "model_split", "stages": {}, "micro_batches": {},
                                             "schedule": "1f1b"}}}})";
    return {
        {"ring_allreduce", "{}"},
        {"parameter_server", R"({"strategy": {"name": "parameter_server", "servers": 2}})"},
        {"hybrid", R"({"strategy": {"name": "hybrid"}})"},
        {"filter_parallel", fmt::format(R"({{"strategy": {{"name": "filter_parallel", "shares": [{}]}}}})",
                                        fmt::join(equal, ", "))},
        {"model_split", fmt::format(fmt::runtime(pipeline), nodes, 1)},
        {"model_split, two micro-batches", fmt::format(fmt::runtime(pipeline), nodes, 2), "{}",
         Networks::without_batch_norm},
    };
}

}  // namespace convoy::test
