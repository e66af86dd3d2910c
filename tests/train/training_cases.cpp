#include "train/training_cases.hpp"

#include "train/noise_images.hpp"

namespace convoy::test {

using nlohmann::json;

const char* const with_batch_norm = R"({
    "strategy": {"batch_norm_statistics": "synchronised", "bucket_bytes": 2048},
    "model": {"input": [1, 28, 28], "layers": [
        {"type": "conv2d", "filters": 16, "kernel": 5, "stride": 2, "l2": 0.02},
        {"type": "batch_norm", "activation": "relu"},
        {"type": "conv2d", "filters": 16, "kernel": 3, "stride": 2, "l2": 0.01, "groups": 16},
        {"type": "batch_norm"}, {"type": "activation", "activation": "relu"},
        {"type": "dropout", "rate": 0.25}, {"type": "flatten"},
        {"type": "dense", "units": 32, "activation": "leaky_relu", "l2": 0.01}, {"type": "dropout", "rate": 0.5},
        {"type": "dense", "units": 10, "activation": "softmax"}]}})";

const char* const two_inputs = R"({
    "dataset": {"images": null, "test_images": null, "inputs": {
        "image": {"files": "x.npy", "test_files": "test_x.npy"},
        "curve": {"files": "curve.npy", "test_files": "test_curve.npy"}}},
    "model": {"input": {"image": [1, 28, 28], "curve": [1, 1, 40]}, "layers": [
        {"type": "conv1d", "inputs": ["curve"], "filters": 8, "kernel": 5, "padding": "same", "activation": "relu"},
        {"type": "max_pool1d", "size": 2}, {"type": "flatten", "name": "of_curve"},
        {"type": "conv2d", "inputs": ["image"], "filters": 12, "kernel": 5, "stride": 2, "activation": "relu"},
        {"type": "max_pool", "size": 2}, {"type": "flatten", "name": "of_image"},
        {"type": "concat", "inputs": ["of_curve", "of_image"]},
        {"type": "dense", "units": 32, "activation": "relu"}, {"type": "dropout", "rate": 0.5},
        {"type": "dense", "units": 10, "activation": "softmax"}]}})";

namespace {

/// Twenty steps: two epochs of nine whole batches and one of three examples, of which a fourth node gets
/// none. A small step: a max pooling or a ReLU of millions may meet a tie that rounding decides, and a larger
/// step would make more of it.
constexpr const char* base = R"({
    "model": "mnist_cnn",
    "batch_size": 7, "epochs": 2, "seed": 2,
    "optimizer": {"name": "sgd", "learning_rate": 0.005, "momentum": 0.5},
    "strategy": {"bucket_bytes": 65536},
    "measure": {"trace_steps": 0}})";

}  // namespace

json spec_of_20_steps(const std::string& network) {
    auto spec = json::parse(base);
    spec["dataset"] = NoiseImages::dataset();
    spec.merge_patch(json::parse(network));
    return spec;
}

}  // namespace convoy::test
