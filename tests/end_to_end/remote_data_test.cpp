// Training on files from addresses, with the program itself.

#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>
#include <regex>
#include <sstream>

#include "base/environment_variable.hpp"
#include "base/sha256.hpp"
#include "data/idx_files.hpp"
#include "data/npy_files.hpp"
#include "data/web_hdfs_servers.hpp"
#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

json npy_dataset_of(const std::string& images, const std::string& labels) {
    return {{"name", "npy"}, {"images", images}, {"labels", labels}, {"test_fraction", 0.2}, {"classes", 10}};
}

/// A small dataset beside a spec, and in HDFS.
struct RemoteFiles {
    RemoteFiles() {
        folder.write("x.npy", images);
        folder.write("y.npy", labels);
    }
    [[nodiscard]] std::string address(const std::string& name, const std::string& content) const {
        return hdfs->address("/set/" + name) + "#sha256=" + sha256(content);
    }
    [[nodiscard]] json spec() const {
        auto spec = small_spec();
        spec["dataset"] = npy_dataset_of(address("x.npy", images), address("y.npy", labels));
        spec["batch_size"] = 4;
        return spec;
    }
    [[nodiscard]] Outcome run(const json& spec, const std::string& out) const {
        return run_convoy({"run", write_spec(folder, spec, out + ".json"), "--out", (folder / out).string()},
                          {.data = data.path()});
    }

    EnvironmentVariable no_proxy{"no_proxy", "*"};
    const std::string images = npy_array("|u1", "20, 28, 28", pattern(20 * 28 * 28));
    const std::string labels = npy_array("|u1", "20", pattern(20, 10));
    TemporaryFolder folder, data;
    std::optional<WebHdfsServers> hdfs{
        std::in_place,
        std::map<std::string, ServedFile>{{"/set/x.npy", {images, true, 9000}}, {"/set/y.npy", {labels}}}};
};

/// The words of the worker's command that the launcher shows, after "convoy".
std::vector<std::string> worker_command_of(ConvoyProcess& launcher) {
    REQUIRE(launcher.wait_for_error_text("convoy worker --join"));
    REQUIRE(launcher.wait_for_error_text("\n"));
    std::smatch found;
    const auto& text = launcher.error_text();
    REQUIRE(std::regex_search(text, found, std::regex("convoy (worker --join .*)\n")));
    std::istringstream words(found[1]);
    return {std::istream_iterator<std::string>(words), {}};
}

}  // namespace

TEST_CASE("training on files from HDFS gives the bits that local files give, and then needs no server") {
    RemoteFiles files;
    auto local_spec = files.spec();
    local_spec["dataset"] = npy_dataset_of("x.npy", "y.npy");
    const auto local = files.run(local_spec, "local");
    INFO(local.err);
    REQUIRE(local.code == 0);
    const auto fetched = files.run(files.spec(), "fetched");
    INFO(fetched.err);
    REQUIRE(fetched.code == 0);
    CHECK_THAT(fetched.err, Contains("fetched 2 files"));
    // The launcher fetches for all nodes of this host, and goes on where the datanode broke off.
    CHECK(files.hdfs->datanode.requests().size() == 3);
    const auto run = files.folder / "fetched";
    CHECK(text_of(run / "weights.safetensors") == text_of(files.folder / "local" / "weights.safetensors"));

    const auto environment = json_of(run / "environment.json");
    CHECK(environment.at("fetched").at("files") == 2);
    CHECK(environment.at("fetched").at("bytes") == files.images.size() + files.labels.size());
    CHECK(environment.at("data").at(0).at("sha256") == sha256(files.images));
    CHECK(json_of(files.folder / "local" / "environment.json").at("fetched").is_null());
    const auto summary = json_of(run / "summary.json");
    CHECK(summary.at("phases_s").at("fetch") > 0.0);
    CHECK(summary.at("per_node").at(1).at("fetch_s") > 0.0);
    CHECK_THAT(run_convoy({"report", run.string(), "--table", "phases"}).out, Contains("fetch (s)"));

    files.hdfs.reset();
    const auto spec = json_of(run / "spec.json");
    const auto offline = files.run(spec, "offline");
    INFO(offline.err);
    REQUIRE(offline.code == 0);
    CHECK_THAT(offline.err, !Contains("fetched"));
    CHECK(sha256_of_weights(files.folder / "offline") == sha256_of_weights(run));
    CHECK(run_convoy({"evaluate", run.string()}, {.data = files.data.path()}).code == 0);
}

TEST_CASE("where the files are does not belong to the identity of a run, but their hashes do") {
    const RemoteFiles files;
    const HttpServer web(
        std::map<std::string, ServedFile>{{"/x.npy", {files.images}}, {"/y.npy", {files.labels}}});
    const auto id_of = [&](const json& dataset, const std::string& out) {
        auto spec = files.spec();
        spec["dataset"] = dataset;
        spec["max_steps"] = 1;
        REQUIRE(files.run(spec, out).code == 0);
        return json_of(files.folder / out / "summary.json").at("run_id");
    };
    const auto of_web = [&](const std::string& hash_of_images) {
        return npy_dataset_of(web.address("/x.npy") + "#sha256=" + hash_of_images,
                              web.address("/y.npy") + "#sha256=" + sha256(files.labels));
    };
    CHECK(id_of(files.spec().at("dataset"), "hdfs") == id_of(of_web(sha256(files.images)), "web"));
    CHECK(id_of(npy_dataset_of("x.npy", "y.npy"), "local") != id_of(of_web(sha256(files.images)), "again"));
}

TEST_CASE("addresses that cannot be used end a command with one line that names the field") {
    const RemoteFiles files;
    const auto refuse = [&](const std::string& images, int code, const std::string& why) {
        auto spec = files.spec();
        spec["dataset"]["images"] = images;
        const auto outcome = files.run(spec, "refused");
        INFO(outcome.err);
        CHECK(outcome.code == code);
        CHECK_THAT(outcome.err, Contains("refused.json: $.dataset.images: ") && Contains(why));
        CHECK(std::ranges::count(outcome.err, '\n') == 1);
        CHECK_FALSE(fs::exists(files.folder / "refused"));
    };
    refuse(files.hdfs->address("/set/x.npy"), 65, "has no hash");
    refuse(files.address("y.npy", files.images), 65, "is not the file that was published");
    refuse(files.address("none.npy", files.images), 66, "404");
    refuse("http://lab:s3cret@127.0.0.1/x.npy#sha256=" + sha256(files.images), 65, "a user or password");
}

TEST_CASE("a password from .netrc is in no file of a run and in nothing that is told") {
    const RemoteFiles files;
    const TemporaryFolder home;
    home.write(".netrc", "machine 127.0.0.1 login lab password s3cret\n");
    const EnvironmentVariable set("HOME", home.path().c_str());
    const HttpServer web([&](const HttpRequest& request) -> HttpAnswer {
        if (request.authorization.empty()) return {http_answer("401 Unauthorized", "")};
        return {http_answer("200 OK", request.target == "/x.npy" ? files.images : files.labels)};
    });
    auto spec = files.spec();
    spec["dataset"] = npy_dataset_of(web.address("/x.npy") + "#sha256=" + sha256(files.images),
                                     web.address("/y.npy") + "#sha256=" + sha256(files.labels));
    const auto outcome = files.run(spec, "out");
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    for (const auto* secret : {"s3cret", "bGFiOnMzY3JldA=="}) {  // as it is, and in base64 with its user
        CHECK_THAT(outcome.out + outcome.err, !Contains(secret));
        for (const auto& entry : fs::recursive_directory_iterator(files.folder / "out"))
            if (entry.is_regular_file()) CHECK(text_of(entry.path()).find(secret) == std::string::npos);
    }
}

TEST_CASE("a node on another host fetches by itself, and the others wait for it beyond the deadline") {
    const RemoteFiles files;
    const TemporaryFolder other_host;
    // The second host comes when the server is busy, so that it waits for 1 s and for 2 s.
    const HttpServer web([&files, asked = 0](const HttpRequest& request) mutable -> HttpAnswer {
        if (request.target == "/y.npy") return {file_answer({files.labels}, request)};
        ++asked;
        if (asked == 2 || asked == 3) return {http_answer("503 Service Unavailable", "")};
        return {file_answer({files.images}, request)};
    });
    auto spec = files.spec();
    spec["dataset"] = npy_dataset_of(web.address("/x.npy") + "#sha256=" + sha256(files.images),
                                     web.address("/y.npy") + "#sha256=" + sha256(files.labels));
    spec["deadline_s"] = is_sanitized ? 3.0 : 2.0;
    spec["max_steps"] = 4;
    const auto out = files.folder / "out";
    ConvoyProcess launcher({"run", write_spec(files.folder, spec), "--out", out.string(), "--await", "1"},
                           {.data = files.data.path()});
    ConvoyProcess worker(worker_command_of(launcher), {.data = other_host.path()});
    const auto outcome = launcher.wait();
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(worker.wait().code == 0);
    CHECK(std::ranges::count(web.requests(), "/x.npy") == 4);
    CHECK(fs::exists(other_host.path() / "fetched"));
    const auto nodes_of_run = json_of(out / "summary.json").at("per_node");
    CHECK(nodes_of_run.at(0).at("fetch_s") < 2.0);
    CHECK(nodes_of_run.at(1).at("fetch_s") > 3.0);
}

TEST_CASE("convoy dataset fetch gets the files of a spec, or one file and its hash") {
    const RemoteFiles files;
    const auto path = write_spec(files.folder, files.spec());
    const auto fetched = run_convoy({"dataset", "fetch", path}, {.data = files.data.path()});
    INFO(fetched.err);
    REQUIRE(fetched.code == 0);
    CHECK_THAT(fetched.out, Contains("fetched       ") && Contains("-x.npy") && Contains("-y.npy"));
    const auto again = run_convoy({"dataset", "fetch", path, "--json"}, {.data = files.data.path()});
    CHECK(json::parse(again.out).at("files").at(0).at("outcome") == "already there");

    const auto one =
        run_convoy({"dataset", "fetch", files.hdfs->address("/set/x.npy")}, {.data = files.data.path()});
    INFO(one.err);
    CHECK(one.code == 0);
    CHECK(one.out ==
          files.address("x.npy", files.images) + "&bytes=" + std::to_string(files.images.size()) + "\n");
    const auto none =
        run_convoy({"dataset", "fetch", files.hdfs->address("/none")}, {.data = files.data.path()});
    CHECK(none.code == 66);
}
