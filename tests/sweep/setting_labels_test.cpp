#include "sweep/setting_labels.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

namespace {

std::vector<std::string> labels(const char* field, const std::vector<std::string>& values) {
    return setting_labels(field, values);
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("objects of a grid have short names") {
    CHECK(labels("strategy", {R"({"name":"local_sgd","average_every":8})", "ring_allreduce",
                              R"({"bucket_bytes":65536,"name":"parameter_server","overlap":false})"}) ==
          Labels{"local_sgd, every 8", "ring_allreduce", "parameter_server, bucket 64 KiB, no overlap"});
    CHECK(labels("strategy", {R"({"wire_type":"top_k","top_k":{"fraction":0.01}})", R"({"overlap":true})"}) ==
          Labels{"fraction 0.01, top_k", "overlap"});
    CHECK(labels("optimizer", {R"({"name":"sgd","learning_rate":0.1})", "adam"}) ==
          Labels{"sgd, rate 0.1", "adam"});
}

TEST_CASE("parts that all values share are left out, unless nothing is left") {
    CHECK(labels("strategy", {R"({"name":"local_sgd","average_every":8})",
                              R"({"name":"local_sgd","average_every":32})"}) ==
          Labels{"every 8", "every 32"});
    CHECK(labels("strategy", {R"({"name":"local_sgd","average_every":8})", "local_sgd"}) ==
          Labels{"local_sgd, every 8", "local_sgd"});
    CHECK(labels("strategy", {R"({"name":"local"})"}) == Labels{"local"});
}

TEST_CASE("numbers and truth values say their field") {
    CHECK(labels("batch_size", {"48", "96"}) == Labels{"batch 48", "batch 96"});
    CHECK(labels("nodes", {"1", "2"}) == Labels{"1 node", "2 nodes"});
    CHECK(labels("strategy.overlap", {"true", "false"}) == Labels{"overlap", "no overlap"});
    CHECK(labels("gradient_clipping", {"null", R"({"by":"value","limit":2})"}) ==
          Labels{"no gradient clipping", "value, limit 2"});
    CHECK(labels("strategy.staleness", {"0", "null"}) == Labels{"staleness 0", "any staleness"});
    CHECK(labels("strategy.bucket_bytes", {"1000", "1024", "1048576", "0"}) ==
          Labels{"bucket 1000 bytes", "bucket 1 KiB", "bucket 1 MiB", "bucket 0 bytes"});
    CHECK(labels("cluster.link_mbit", {"100", "1000"}) == Labels{"link 100 Mbit/s", "link 1000 Mbit/s"});
    CHECK(labels("strategy.stages", {"[2,4]", "[3]"}) == Labels{"stages [2,4]", "stages [3]"});
    CHECK(labels("strategy.wire_type", {"float32", "top_k"}) == Labels{"float32", "top_k"});
}

TEST_CASE("different values have different labels, if need be their whole texts") {
    const Labels alike{R"({"by":"value"})", "value"};
    CHECK(labels("gradient_clipping", alike) == alike);
    CHECK(labels("schedule", {"", "a"}) == Labels{"", "a"});
    CHECK(labels("schedule", {"{broken", "a\nb"}) == Labels{"{broken", "a\nb"});
}

TEST_CASE("a field is told in words") {
    CHECK(field_words("strategy.bucket_bytes") == "bucket bytes");
    CHECK(field_words("nodes") == "nodes");
}
