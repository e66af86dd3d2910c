#include "../../apps/convoy/dataset_command.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "data/http_server.hpp"
#include "data/temporary_folder.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

namespace {

int run(const std::vector<std::string>& arguments) {
    return dataset_command(arguments);
}

}  // namespace

TEST_CASE("convoy dataset: a wrong command line is a usage error") {
    for (const auto& arguments : std::vector<std::vector<std::string>>{{},
                                                                       {"verify"},
                                                                       {"fetch"},
                                                                       {"remove", "mnist"},
                                                                       {"list", "mnist"},
                                                                       {"list", "--dta", "x"},
                                                                       {"verify", "mnist", "more"},
                                                                       {"verify", "mnist", "--data"}}) {
        CHECK_THROWS_AS(run(arguments), UsageError);
    }
    CHECK(run({"--help"}) == 0);
    CHECK_THROWS_AS(run({"verify", "imagenet"}), DataError);
}

TEST_CASE("convoy dataset: fetch, verify and list work on the data folder") {
    const EnvironmentVariable no_proxy("no_proxy", "*");
    const TemporaryFolder share, data;
    const HttpServer server(std::map<std::string, ServedFile>{{"/a.gz", {"content of a"}}});
    share.write(
        "datasets/mnist.json",
        R"({"name": "mnist", "title": "t", "licence": "l", "citation": "c", "homepage": "h", "files": [{"name": "a.gz",)"
        R"( "sha256": ")" +
            sha256("content of a") + R"(", "mirrors": [")" + server.address("/a.gz") + R"("]}]})");
    share.write(
        "datasets/cifar10.json",
        R"({"name": "cifar10", "title": "t", "licence": "l", "citation": "c", "homepage": "h", "files": [{"name":)"
        R"( "a.tar.gz", "md5": "900150983cd24fb0d6963f7d28e17f72", "mirrors": ["http://h/a"]}]})");
    share.write(
        "datasets/fashion_mnist.json",
        R"({"name": "fashion_mnist", "title": "t", "licence": "l", "citation": "c", "homepage": "h", "files": [{"name":)"
        R"( "a.gz", "md5": "900150983cd24fb0d6963f7d28e17f72", "mirrors": [")" +
            server.address("/a.gz") + R"("]}]})");
    const EnvironmentVariable set("CONVOY_SHARE", share.path().c_str());
    const auto folder = data.path().string();

    CHECK_THROWS_AS(run({"verify", "mnist", "--data", folder}), MissingFileError);
    CHECK(run({"fetch", "mnist", "--data", folder}) == 0);
    CHECK(exists(data.path() / "mnist" / "a.gz"));
    CHECK(run({"verify", "mnist", "--data=" + folder}) == 0);
    CHECK(run({"list", "--data", folder}) == 0);
    CHECK_THROWS_AS(run({"fetch", "fashion_mnist", "--data", folder}), DataError);
    data.write("mnist/a.gz", "content of b");
    CHECK_THROWS_WITH(run({"verify", "mnist", "--data", folder}), Contains("is damaged"));
}
