// In each phase of each command that lasts, a signal ends it with code 130 and one line, and leaves nothing
// behind that the line does not name.

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "base/descriptor.hpp"
#include "base/environment_variable.hpp"
#include "cluster/poll_until.hpp"
#include "lease.hpp"
#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// A named pipe without a writer: a process that reads it as a file stands still there.
class SilentPipe {
  public:
    explicit SilentPipe(fs::path path) : path_(std::move(path)) {
        REQUIRE(::mkfifo(path_.c_str(), 0600) == 0);
    }
    /// Blocks until the process reads the pipe.
    void wait_for_reader(ConvoyProcess& process) {
        REQUIRE(process.wait_until([this] {
            writer_.reset(::open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
            return writer_.get() >= 0;
        }));
    }
    [[nodiscard]] std::string path() const { return path_.string(); }

  private:
    fs::path path_;
    Descriptor writer_;
};

/// A run that was killed when it had some epochs.
void leave_partial(const TemporaryFolder& folder) {
    ConvoyProcess run({"run", write_spec(folder, long_spec()), "--out", (folder / "out").string()});
    REQUIRE(run.wait_for_error_text("epoch 3/"));
    run.signal(SIGKILL);
    REQUIRE(run.wait().code == -SIGKILL);
}

/// Whether the test can go on; if not, it says why.
bool has_lease(const Lease& lease) {
    if (!lease.is_held()) WARN("this file system has no leases");
    return lease.is_held();
}

}  // namespace

TEST_CASE("a signal ends each command while it reads what it was given", "[large]") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "run");
    const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
    using Words = std::vector<std::string>;
    SilentPipe spec(folder / "run" / "spec.json");
    const auto out = (folder / "out").string();
    for (const auto& words :
         {Words{"run", spec.path(), "--out", out}, Words{"sweep", spec.path(), "--out", out},
          Words{"plan", spec.path()}, Words{"calibrate", spec.path(), "--out", out},
          Words{"bench", "operators", spec.path()}, Words{"evaluate", (folder / "run").string()}}) {
        ConvoyProcess process(words);
        spec.wait_for_reader(process);
        const auto ended = process.end_by(signal);
        INFO(words[0]);
        CHECK(ended.code == 130);
        CHECK(ended.err == "convoy: interrupted\n");
        CHECK(ended.out.empty());
        CHECK(folder.entries() == 1);
    }
}

TEST_CASE("a process that inherits blocked signals and forgotten children trains, and heeds a signal") {
    const TemporaryFolder folder;
    const auto spec = write_spec(folder, small_spec());
    CHECK(run_convoy({"run", spec, "--out", (folder / "out").string()}, {.deaf = true}).code == 0);
    CHECK(fs::exists(folder / "out" / "report.html"));
    ConvoyProcess run(
        {"run", write_spec(folder, long_spec(), "long.json"), "--out", (folder / "long").string()},
        {.deaf = true});
    REQUIRE(run.wait_for_error_text("epoch 3/"));
    run.signal(SIGTERM);
    CHECK(run.wait().code == 130);
    CHECK(json_of(folder / "long" / "summary.json").at("status") == "interrupted");
}

TEST_CASE("a signal ends a process that writes a run folder at once, and the line names what is left") {
    const TemporaryFolder folder;
    const auto out = (folder / "out").string();
    ConvoyProcess run({"run", write_spec(folder, long_spec()), "--out", out});
    REQUIRE(run.wait_for_error_text("epoch 3/"));
    // The description of the run is written again at its end, under this name first.
    Lease lease(folder / "out.partial" / "environment.json.new");
    if (!has_lease(lease)) return;
    run.signal(SIGINT);
    REQUIRE(lease.wait_for_opener());
    const auto ended = run.end_by(SIGTERM);
    CHECK(ended.code == 130);
    CHECK_THAT(ended.err, EndsWith("convoy: interrupted; " + out +
                                   ".partial has the trained weights and the tables: `convoy recover " + out +
                                   ".partial [--out OUT]` makes a run folder of it\n"));
    lease.give_up();
    const auto recovered = run_convoy({"recover", out + ".partial"});
    INFO(recovered.err);
    CHECK(recovered.code == 0);
    CHECK(fs::exists(folder / "out" / "weights.safetensors"));
}

TEST_CASE("a signal ends recover, and what it was given stays") {
    const TemporaryFolder folder;
    const auto partial = (folder / "out.partial").string();
    leave_partial(folder);
    {
        const Lease lease(folder / "out.partial" / "records" / "node-0.records");
        if (!has_lease(lease)) return;
        ConvoyProcess process({"recover", partial});
        REQUIRE(lease.wait_for_opener());
        const auto ended = process.end_by(SIGINT);
        CHECK(ended.code == 130);
        CHECK(ended.err == "convoy: interrupted; " + partial + " has lost nothing: `convoy recover " +
                               partial + "` makes a run folder of it\n");
    }
    CHECK_FALSE(fs::exists(folder / "out"));
    CHECK(run_convoy({"recover", partial}).code == 0);
}

TEST_CASE("a signal that comes while a run fails does not hide why it failed") {
    const TemporaryFolder folder;
    const auto out = (folder / "out").string();
    ConvoyProcess run({"run", write_spec(folder, long_spec()), "--out", out});
    REQUIRE(run.wait_for_error_text("epoch 3/"));
    // With this folder the launcher reads the state once the nodes have ended, to say what can be done.
    fs::create_directory(folder / "out");
    Lease lease(folder / "out.partial" / "records" / "state");
    if (!has_lease(lease)) return;
    ::kill(run.children().back(), SIGKILL);
    REQUIRE(lease.wait_for_opener());
    run.signal(SIGTERM);
    lease.give_up();
    const auto ended = run.wait();
    CHECK(ended.code == 74);
    CHECK_THAT(ended.err, Contains("was killed by signal 9") && Contains("convoy recover " + out));
}

TEST_CASE("a signal that comes while an error is said changes neither its line nor its code") {
    // More than a pipe takes, so the process is still at it when its first words are read.
    const std::string name(100'000, 'x');
    ConvoyProcess process({"plan", name});
    REQUIRE(process.wait_for_error_text("convoy: x"));
    process.signal(SIGTERM);
    const auto ended = process.wait();
    CHECK(ended.code == 66);
    CHECK(ended.err == "convoy: " + name + ": File name too long\n");
}

TEST_CASE("a signal between the runs of a sweep keeps what is finished, and the line says how to go on") {
    const TemporaryFolder folder;
    const json sweep{{"name", "one"}, {"base", small_spec()}, {"grid", {{"seed", {1}}}}};
    const auto out = folder / "sweep";
    const auto file = write_spec(folder, sweep, "sweep.json");
    REQUIRE(run_convoy({"sweep", file, "--out", out.string()}).code == 0);
    const auto kept = fs::directory_iterator(out / "runs")->path();
    // Before a run and for each table, convoy reads how the run ended.
    fs::rename(kept, folder / "kept");
    Lease failure(out / "failed" / (kept.filename().string() + ".json"));
    if (!has_lease(failure)) return;
    ConvoyProcess process({"sweep", file, "--out", out.string(), "--resume"});
    REQUIRE(failure.wait_for_opener());
    const auto ended = process.end_by(SIGTERM);
    CHECK(ended.code == 130);
    CHECK(ended.err == "convoy: interrupted; finished runs are kept, and --resume continues the sweep\n");
    CHECK(names_in(out) ==
          std::set<std::string>{"failed", "report.html", "report.md", "runs", "runs.csv", "sweep.json"});
}

TEST_CASE("a signal ends a download, and the line names the part that is kept") {
    const TemporaryFolder folder;
    const Descriptor server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    REQUIRE(::bind(server.get(), reinterpret_cast<sockaddr*>(&address), length) == 0);
    REQUIRE(::listen(server.get(), 4) == 0);
    REQUIRE(::getsockname(server.get(), reinterpret_cast<sockaddr*>(&address), &length) == 0);
    const auto mirror = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/part";
    fs::create_directories(folder / "share" / "datasets");
    auto manifest = json_of(fs::path(DATASETS) / "mnist.json");
    for (auto& wanted : manifest.at("files")) wanted["mirrors"] = {mirror};
    write_spec(folder, manifest, "share/datasets/mnist.json");
    const EnvironmentVariable share("CONVOY_SHARE", (folder / "share").c_str());
    const EnvironmentVariable proxy("http_proxy", nullptr);

    ConvoyProcess process({"dataset", "fetch", "mnist", "--data", (folder / "data").string()});
    REQUIRE(readable_within(server.get(), 60'000));
    const auto ended = process.end_by(SIGINT);
    CHECK(ended.code == 130);
    const auto part = folder / "data" / "mnist" / "train-images-idx3-ubyte.gz.part";
    CHECK_THAT(ended.err, EndsWith("convoy: interrupted; what was fetched is kept (" + part.string() +
                                   "): run the command again to go on\n"));
}
