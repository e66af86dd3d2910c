#include "monitor/journal_follower.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "base/temporary_folder.hpp"
#include "report/partial_header.hpp"

using namespace convoy;

namespace {

NodeRecords steps_of(std::int64_t node, std::int64_t first, std::int64_t last) {
    NodeRecords records;
    for (auto step = first; step <= last; ++step) {
        StepRecord row;
        row.node = node;
        row.step = step;
        row.examples = 2;
        records.steps.push_back(row);
    }
    return records;
}

struct FollowedRun {
    TemporaryFolder folder;
    JournalFolder journals{folder / std::string(partial_records)};
    JournalFollower follower{folder.path(), 2};

    FollowedRun() { std::filesystem::create_directory(journals.path()); }
    std::int64_t steps_after_look(std::int64_t node) {
        follower.look();
        return follower.figures().nodes[node].steps;
    }
};

}  // namespace

TEST_CASE("a follower of journals reads at each look what is new") {
    FollowedRun run;
    CHECK(run.steps_after_look(0) == 0);
    run.journals.append(0, steps_of(0, 1, 600));  // two frames
    run.journals.append(1, steps_of(1, 1, 3));
    CHECK(run.steps_after_look(0) == 600);
    CHECK(run.steps_after_look(1) == 3);
    run.journals.append(1, steps_of(1, 4, 5));
    CHECK(run.steps_after_look(0) == 600);
    CHECK(run.steps_after_look(1) == 5);
}

TEST_CASE("a part of a frame is read when it is whole") {
    FollowedRun run;
    run.journals.append(0, steps_of(0, 1, 3));
    CHECK(run.steps_after_look(0) == 3);
    const auto file = run.journals.records_of(0);
    const auto size = std::filesystem::file_size(file);
    run.journals.append(0, steps_of(0, 4, 9));
    std::string all(std::filesystem::file_size(file), '\0');
    std::ifstream(file, std::ios::binary).read(all.data(), static_cast<std::streamsize>(all.size()));
    std::filesystem::resize_file(file, size + 30);
    CHECK(run.steps_after_look(0) == 3);
    std::ofstream(file, std::ios::binary).write(all.data(), static_cast<std::streamsize>(all.size()));
    CHECK(run.steps_after_look(0) == 9);
}

TEST_CASE("a follower begins again when the run goes back") {
    FollowedRun run;
    run.journals.append(0, steps_of(0, 1, 10));
    const auto mark = std::filesystem::file_size(run.journals.records_of(0));
    run.journals.append(0, steps_of(0, 11, 40));
    CHECK(run.steps_after_look(0) == 40);
    REQUIRE(run.journals.cut({mark}));
    SECTION("and is looked at when journals are shorter") {
        CHECK(run.steps_after_look(0) == 10);
    }
    SECTION("and has grown beyond the place of before") {
        run.journals.append(0, steps_of(0, 11, 100));
        CHECK(run.steps_after_look(0) == 100);
        CHECK(run.follower.figures().nodes.at(0).examples == 200);
    }
}

TEST_CASE("a damaged journal counts up to its last whole frame at each look") {
    FollowedRun run;
    run.journals.append(0, steps_of(0, 1, 10));
    std::ofstream(run.journals.records_of(0), std::ios::app) << std::string(1000, '\xff');
    for (int look = 0; look < 3; ++look) CHECK(run.steps_after_look(0) == 10);
}
