#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cluster/launcher.hpp"

/// How a launch of fake workers ended.
struct FakeRun {
    std::optional<convoy::RunOutcome> outcome;
    std::optional<convoy::Error> error;
    std::string endpoint;  ///< where the launcher listened
    std::vector<std::string> notices;
    std::set<std::string> lines;  ///< of the nodes' standard error
    int times_passed = 0;         ///< calls of on_time_passed
};

struct FakeRunOptions {
    std::string behaviour;
    std::int64_t nodes = 4;
    double deadline_s = 30;
    std::optional<double> join_deadline_s{};
    std::optional<std::int64_t> local_nodes{};
    std::optional<std::string> token{};
    std::function<void(const std::string& endpoint)> on_listening{};
    std::function<void(const convoy::NodeProgress&)> on_progress{};
    std::function<void(const std::string& line)> on_notice{};
    std::size_t children_of_test = 0;  ///< processes that the test itself starts meanwhile
};

/// The options of launch() for fake workers.
convoy::LaunchOptions fake_launch_options(const FakeRunOptions& options);

/// Launches fake workers in this process, and checks that no process and no port is left behind.
FakeRun run_fake(const FakeRunOptions& options);
