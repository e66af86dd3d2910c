#include "data/fetched_data.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/sha256.hpp"
#include "data/data_files.hpp"
#include "data/dataset.hpp"
#include "data/idx_files.hpp"
#include "data/npy_files.hpp"
#include "data/web_hdfs_servers.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using Requests = std::vector<std::string>;

namespace {

const std::string small_images = npy_array("|u1", "10, 2, 2", pattern(40));
const std::string small_labels = npy_array("|u1", "10", std::string("\0\1\2\0\1\2\0\1\2\0", 10));

std::string with_hash(const std::string& address, const std::string& content) {
    return address + "#sha256=" + sha256(content);
}

DatasetSpec npy_spec(const std::string& images, const std::string& labels) {
    DatasetSpec spec{.name = "npy", .train_examples = {}, .test_examples = {}};
    spec.npy.emplace();
    spec.npy->inputs.front().files = {images};
    spec.npy->labels = {labels};
    spec.npy->test_fraction = 0.2;
    return spec;
}

std::vector<float> values_of(const Dataset& data) {
    const auto size = static_cast<std::size_t>(data.example_shape().elements());
    std::vector<float> all(size * static_cast<std::size_t>(data.size()));
    for (std::int64_t i = 0; i < data.size(); ++i)
        data.read(static_cast<std::uint32_t>(i),
                  std::span(all).subspan(static_cast<std::size_t>(i) * size, size));
    return all;
}

/// Two files, on a web server and in HDFS, and a data folder that has neither.
struct SmallRemote {
    EnvironmentVariable no_proxy{"no_proxy", "*"}, no_cache{"CONVOY_CACHE", nullptr};
    TemporaryFolder data;
    std::optional<HttpServer> web{std::in_place,
                                  std::map<std::string, ServedFile>{{"/x.npy", {small_images, true, 50}}}};
    std::optional<WebHdfsServers> hdfs{std::in_place,
                                       std::map<std::string, ServedFile>{{"/y.npy", {small_labels}}}};
    DatasetSpec spec = npy_spec(with_hash(web->address("/x.npy"), small_images),
                                with_hash(hdfs->address("/y.npy"), small_labels));

    FetchTotals fetch() const { return fetch_dataset(spec, data.path()); }
};

}  // namespace

TEST_CASE("files of addresses are fetched once, and then give the examples of local files") {
    SmallRemote remote;
    CHECK_THROWS_WITH(load_dataset(remote.spec, remote.data.path(), 1, true),
                      Contains("$.dataset.images") && Contains("convoy dataset fetch"));
    const auto totals = remote.fetch();
    CHECK(totals.files == 2);
    CHECK(totals.bytes == small_images.size() + small_labels.size());
    CHECK(totals.seconds > 0.0);
    // Without the servers, the cache will do.
    remote.web.reset();
    remote.hdfs.reset();
    CHECK(remote.fetch().files == 0);

    remote.data.write("x.npy", small_images);
    remote.data.write("y.npy", small_labels);
    const auto fetched = load_dataset(remote.spec, remote.data.path(), 1, true);
    const auto local = load_dataset(npy_spec("x.npy", "y.npy"), remote.data.path(), 1, true);
    CHECK(values_of(fetched.train) == values_of(local.train));
    CHECK(values_of(fetched.test) == values_of(local.test));
    CHECK(std::ranges::equal(fetched.train.labels(), local.train.labels()));
    CHECK(dataset_info(remote.spec, remote.data.path()).train_examples == 8);
}

TEST_CASE("a run tells fetched files by their places in the cache") {
    const TemporaryFolder cache;
    const auto name = "fetched/" + sha256(small_images).substr(0, 16) + "-x.npy";
    for (const bool apart : {false, true}) {
        SmallRemote remote;
        const EnvironmentVariable set("CONVOY_CACHE", apart ? cache.path().c_str() : nullptr);
        remote.fetch();
        CHECK(exists((apart ? cache : remote.data).path() / name));
        CHECK(exists((apart ? remote.data : cache).path() / name) == false);
        DataDigests digests;
        const auto files = digests.of(remote.spec, remote.data.path());
        REQUIRE(files.size() == 2);
        CHECK(files[0] ==
              DataFile{.file = name, .bytes = small_images.size(), .sha256 = sha256(small_images)});
    }
}

TEST_CASE("a fetched file that was damaged is fetched again") {
    SmallRemote remote;
    remote.fetch();
    const auto file = fetched_files(remote.spec, remote.data.path())[0];
    remote.data.write("fetched/" + file.file.name, small_images.substr(1) + "x");
    CHECK(remote.fetch().files == 1);
    CHECK(read_text(file.folder / file.file.name) == small_images);
}

TEST_CASE("an address in a spec needs a hash and must be valid, and the error names the field") {
    const TemporaryFolder data;
    const auto refuse = [&](const DatasetSpec& spec, const std::string& field, const std::string& why) {
        CHECK_THROWS_WITH(fetch_dataset(spec, data.path()),
                          Contains("$.dataset." + field + ": ") && Contains(why));
        CHECK_THROWS_AS(fetch_dataset(spec, data.path()), DataError);
    };
    refuse(npy_spec("http://h/x.npy?a=b", "y.npy"), "images", "http://h/x.npy: has no hash");
    refuse(npy_spec("x.npy", "ftp://h/y.npy"), "labels", "cannot fetch by ftp");
    auto spec = npy_spec("x.npy", "y.npy");
    spec.npy->inputs = {{.name = "a", .files = {"x", "http://h/x"}}, {.name = "b", .files = {"z"}}};
    refuse(spec, "inputs.a.files[1]", "has no hash");
    spec.npy->inputs[0].files = {"x"};
    spec.npy->inputs[1].test_files = {"http://h/x"};
    refuse(spec, "inputs.b.test_files", "has no hash");
    CHECK(fetch_dataset(npy_spec("x.npy", "y.npy"), data.path()).files == 0);
}

TEST_CASE("what cannot be fetched is an error that names field and place") {
    const EnvironmentVariable no_proxy("no_proxy", "*");
    const TemporaryFolder data;
    const HttpServer server(std::map<std::string, ServedFile>{{"/x.npy", {small_labels}}});
    const auto missing = npy_spec(with_hash(server.address("/none.npy"), small_images), "y.npy");
    CHECK_THROWS_WITH(fetch_dataset(missing, data.path()), Contains("$.dataset.images: ") &&
                                                               Contains(server.address("/none.npy")) &&
                                                               Contains("404"));
    CHECK_THROWS_AS(fetch_dataset(missing, data.path()), MissingFileError);
    const auto other = npy_spec(with_hash(server.address("/x.npy"), small_images), "y.npy");
    CHECK_THROWS_AS(fetch_dataset(other, data.path()), DataError);
    CHECK(std::filesystem::is_empty(data.path() / "fetched"));
}

TEST_CASE("the files of a known dataset are fetched from the folder that the spec names") {
    const EnvironmentVariable no_proxy("no_proxy", "*");
    const TemporaryFolder share, data, cache, origin;
    const EnvironmentVariable shares("CONVOY_SHARE", share.path().c_str());
    const EnvironmentVariable caches("CONVOY_CACHE", cache.path().c_str());
    write_small_dataset(origin, "mnist", true);
    std::map<std::string, ServedFile> files;
    std::string entries;
    for (const auto* name : {"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz",
                             "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"}) {
        const auto content = read_text(origin.path() / "mnist" / name);
        files["/sets/mnist/" + std::string(name)] = {content};
        entries += fmt::format(R"({}{{"name": "{}", "sha256": "{}", "mirrors": ["http://127.0.0.1:1/"]}})",
                               entries.empty() ? "" : ",", name, sha256(content));
    }
    share.write(
        "datasets/mnist.json",
        R"({"name": "mnist", "title": "t", "licence": "l", "citation": "c", "homepage": "h", "files": [)" +
            entries + "]}");
    const WebHdfsServers hdfs(files);
    DatasetSpec spec{.name = "mnist", .train_examples = {}, .test_examples = {}};
    spec.source = hdfs.address("/sets/mnist");
    CHECK(fetch_dataset(spec, data.path()).files == 4);
    CHECK(exists(cache.path() / "mnist" / "t10k-labels-idx1-ubyte.gz"));
    CHECK(dataset_info(spec, data.path()).train_examples == 20);
    const auto fetched = load_dataset(spec, data.path(), 1, true);
    spec.source.reset();
    const auto local = load_dataset(spec, origin.path(), 1, true);
    CHECK(values_of(fetched.train) == values_of(local.train));

    spec.source = "http://h/x#sha256=" + std::string(64, 'a');
    CHECK_THROWS_WITH(fetch_dataset(spec, data.path()), Contains("$.dataset.source: has a hash"));
    spec.name = "synthetic_digits";
    spec.source = "http://h/x";
    CHECK_THROWS_WITH(fetch_dataset(spec, data.path()), Contains("convoy draws this dataset itself"));
}

TEST_CASE("the name of a file in the cache is short and plain, whatever its address is") {
    const FileIdentity identity{.bytes = {},
                                .digest = {HashKind::sha256, "0123456789abcdef" + std::string(48, 'f')}};
    const auto name = [&](const std::string& address) {
        return name_in_cache(DataAddress(address), identity);
    };
    CHECK(name("http://h/d/x-1.npy?a=b") == "0123456789abcdef-x-1.npy");
    CHECK(name("http://h/d/") == "0123456789abcdef-");
    CHECK(name("http://h/a%2F..%2Fb;c") == "0123456789abcdef-a_2F.._2Fb_c");
    CHECK(name("http://h/" + std::string(200, 'a') + ".npy").size() == 16 + 1 + 64);
}
