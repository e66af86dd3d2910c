#include "monitor/node_logs.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <regex>
#include <sstream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"

using namespace convoy;
using Catch::Matchers::EndsWith;
using Catch::Matchers::Matches;

namespace {

std::vector<std::string> lines_in(const std::filesystem::path& file) {
    std::istringstream text(read_text(file));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
}

const std::string time_pattern = R"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ )";

}  // namespace

TEST_CASE("each node and the launcher have a log, whose lines have time and level") {
    const TemporaryFolder folder;
    NodeLogs logs(folder / "a" / "logs", LogLevel::debug);
    logs.write(std::nullopt, LogLevel::debug, "started node 0");
    logs.write(12, LogLevel::info, "trains");
    logs.write(12, LogLevel::error, "two\nlines\x1b[31m");
    const auto launcher = lines_in(folder / "a" / "logs" / "launcher.log");
    REQUIRE(launcher.size() == 1);
    CHECK_THAT(launcher[0], Matches(time_pattern + "debug started node 0"));
    const auto node = lines_in(folder / "a" / "logs" / "node-12.log");
    REQUIRE(node.size() == 2);
    CHECK_THAT(node[0], Matches(time_pattern + "info trains"));
    CHECK_THAT(node[1], EndsWith(R"( error two\nlines\x1b[31m)"));
    CHECK_FALSE(logs.problem());
    NodeLogs(folder / "a" / "logs", LogLevel::debug).write(12, LogLevel::info, "once more");
    CHECK(lines_in(folder / "a" / "logs" / "node-12.log").size() == 3);
}

TEST_CASE("lines that matter less than the level are left out") {
    const TemporaryFolder folder;
    const auto count = GENERATE(1, 2, 3, 4);
    NodeLogs logs(folder.path(), static_cast<LogLevel>(count - 1));
    for (const auto* name : {"error", "warning", "info", "debug"}) logs.write(0, *level_named(name), name);
    const auto lines = lines_in(folder / "node-0.log");
    REQUIRE(std::ssize(lines) == count);
    CHECK_THAT(lines[0], EndsWith(" error error"));
    CHECK_FALSE(level_named("loud"));
}

TEST_CASE("a log takes a bounded number of bytes, and says so") {
    const TemporaryFolder folder;
    NodeLogs logs(folder.path(), LogLevel::info, 1000);
    for (int i = 0; i < 1000; ++i) logs.write(3, LogLevel::info, "the same again");
    const auto text = read_text(folder / "node-3.log");
    CHECK(text.size() > 900);
    CHECK(text.size() < 1200);
    CHECK_THAT(text, EndsWith("bytes of this run; the rest is left out\n"));
    logs.write(4, LogLevel::info, "another node");
    CHECK(lines_in(folder / "node-4.log").size() == 1);
}

TEST_CASE("logs that cannot be written") {
    const TemporaryFolder folder;
    std::ofstream(folder / "file") << "x";
    CHECK_THROWS_AS(NodeLogs(folder / "file" / "logs", LogLevel::info), OutputError);
    std::filesystem::create_directories(folder / "logs" / "node-1.log");
    NodeLogs logs(folder / "logs", LogLevel::info);
    logs.write(1, LogLevel::info, "lost");
    CHECK(logs.problem());
}
