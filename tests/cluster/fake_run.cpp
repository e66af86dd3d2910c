#include "cluster/fake_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "cluster/raw_channel.hpp"

namespace {

class NotingObserver : public convoy::LaunchObserver {
  public:
    NotingObserver(const FakeRunOptions& options, FakeRun& run) : options_(options), run_(run) {}
    void on_listening(const std::string& endpoint) override {
        run_.endpoint = endpoint;
        if (options_.on_listening) options_.on_listening(endpoint);
    }
    void on_progress(const convoy::NodeProgress& progress) override {
        if (options_.on_progress) options_.on_progress(progress);
    }
    void on_node_line(std::int64_t rank, const std::string& line) override {
        run_.lines.insert(fmt::format("node {}: {}", rank, line));
    }
    void on_time_passed() override { ++run_.times_passed; }
    void on_notice(const std::string& line) override {
        run_.notices.push_back(line);
        if (options_.on_notice) options_.on_notice(line);
    }

  private:
    const FakeRunOptions& options_;
    FakeRun& run_;
};

/// How many processes this one started and has not reaped.
std::size_t children() {
    std::ifstream file(fmt::format("/proc/self/task/{}/children", ::gettid()));
    REQUIRE(file);
    return static_cast<std::size_t>(std::distance(std::istream_iterator<int>(file), {}));
}

}  // namespace

convoy::LaunchOptions fake_launch_options(const FakeRunOptions& options) {
    convoy::LaunchOptions launch;
    launch.spec.dataset.name = "synthetic_digits";
    launch.spec.model.name = "mnist_cnn";
    launch.spec.nodes.resize(static_cast<std::size_t>(options.nodes));
    launch.spec.deadline_s = options.deadline_s;
    launch.join_deadline_s = options.join_deadline_s;
    launch.data_folder = "/data";
    launch.local_nodes = options.local_nodes;
    launch.worker_command = {FAKE_WORKER, options.behaviour};
    launch.token = options.token;
    launch.cores = static_cast<int>(2 * options.nodes);
    return launch;
}

FakeRun run_fake(const FakeRunOptions& options) {
    FakeRun run;
    NotingObserver observer(options, run);
    try {
        run.outcome = convoy::launch(fake_launch_options(options), observer);
    } catch (const convoy::Error& error) {
        run.error = error;
    }
    CHECK(children() == options.children_of_test);
    // There is a port only for nodes that are started by hand.
    CHECK(run.endpoint.empty() == (options.local_nodes.value_or(options.nodes) == options.nodes));
    if (!run.endpoint.empty())
        CHECK_THROWS_WITH(RawChannel(run.endpoint), Catch::Contains("Connection refused"));
    return run;
}
