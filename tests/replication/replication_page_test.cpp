#include "replication/replication_page.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "replicate.hpp"

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

const std::filesystem::path stored = STORED_FOLDER;

std::vector<std::string> words_for(const std::filesystem::path& out) {
    return {stored / "published",
            "--system",
            "spark_horovod=" + (stored / "spark_horovod").string(),
            "--system",
            "tensorflow=" + (stored / "tensorflow").string(),
            "--epochs",
            "2..2",
            "--notes",
            stored / "notes.csv",
            "--out",
            out};
}

}  // namespace

TEST_CASE("a page is made of stored runs, byte for byte") {
    const TemporaryFolder folder;
    CHECK(replicate_command(words_for(folder.path())) == 0);
    for (const auto* file : {"mnist_cnn.md", "mnist_cnn.csv"}) {
        INFO(file << " differs from tests/replication/stored/page");
        CHECK(read_text(folder.path() / file) == read_text(stored / "page" / file));
    }
    const auto picture = read_text(folder.path() / "mnist_cnn.svg");
    CHECK_THAT(picture, Contains("Time of a step") && Contains("spark_horovod") && Contains("tensorflow"));
    const auto html = read_text(folder.path() / "mnist_cnn.html");
    CHECK_THAT(html, Contains("<h1>A small work: mnist_cnn</h1>") && Contains("<svg") &&
                         Contains("Published is of machines, ours of processes."));
    CHECK_THAT(html, Contains("<h2>Tables 3, 4: memory</h2>") && Contains("not in the published figures"));
}

TEST_CASE("a replication without its arguments says what it needs") {
    const TemporaryFolder folder;
    auto words = words_for(folder.path());
    words[2] = "spark=x";
    CHECK_THROWS_WITH(replicate_command(words), Contains("--system: found \"spark=x\""));
    words.erase(words.begin() + 1, words.begin() + 3);
    CHECK_THROWS_WITH(replicate_command(words), Contains("--system spark_horovod=DIR"));
    const std::vector<std::string> several{std::string(PUBLISHED_FOLDER) + "/tzavaras"};
    CHECK_THROWS_WITH(replicate_command(several), Contains("mnist_cnn, resnet_v2_56"));
    words = words_for(folder.path());
    words.insert(words.end(), {"--experiment", "cifar"});
    CHECK_THROWS_AS(replicate_command(words), UsageError);
}
