#include "report/epochs_follower.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "base/error_line.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"

using namespace convoy;

namespace {

using EpochNumbers = std::vector<std::int64_t>;

const std::string table_head =
    "epoch,train_loss,train_accuracy,validation_loss,validation_accuracy,test_loss,test_accuracy,train_s,"
    "evaluate_s\n";

std::string table_row(std::int64_t epoch) {
    return std::to_string(epoch) + ",0.5,0.5,,,0.5,0.5,1,1\n";
}

std::string table_rows(std::int64_t first, std::int64_t last) {
    std::string text;
    for (auto epoch = first; epoch <= last; ++epoch) text += table_row(epoch);
    return text;
}

struct Followed {
    TemporaryFolder folder;
    std::filesystem::path file = folder / "epochs.csv";
    EpochsFollower follower;

    EpochNumbers look() {
        EpochNumbers seen;
        follower.look(file, [&seen](const EpochRecord& epoch) { seen.push_back(epoch.epoch); });
        return seen;
    }
    void append(const std::string& text) const { std::ofstream(file, std::ios::app) << text; }
};

}  // namespace

TEST_CASE("each epoch of a table that grows is seen once, when its row is whole") {
    Followed a;
    CHECK(a.look().empty());
    a.append(table_head.substr(0, 20));
    CHECK(a.look().empty());
    a.append(table_head.substr(20) + table_rows(1, 2) + table_row(3).substr(0, 4));
    CHECK(a.look() == EpochNumbers{1, 2});
    CHECK(a.look().empty());
    a.append(table_row(3).substr(4));
    CHECK(a.look() == EpochNumbers{3});
}

TEST_CASE("a table of many pieces is read whole, and what was read is not read again") {
    Followed a;
    a.append(table_head + table_rows(1, 9000));
    CHECK(a.look().size() == 9000);
    // What is read again would be found damaged.
    std::ofstream(a.file, std::ios::in).seekp(static_cast<std::streamoff>(table_head.size())) << "x";
    a.append(table_row(9001));
    CHECK(a.look() == EpochNumbers{9001});
}

TEST_CASE("a table that another takes the place of is read from its begin") {
    Followed a;
    a.append(table_head + table_rows(1, 3));
    CHECK(a.look().size() == 3);
    write_whole(a.file, table_head + table_rows(1, 5));
    CHECK(a.look() == EpochNumbers{4, 5});
    // As a run does that goes on: in the same file.
    std::ofstream(a.file, std::ios::trunc) << table_head + table_row(1);
    CHECK(a.look().empty());
    a.append(table_rows(2, 6));
    CHECK(a.look() == EpochNumbers{6});
}

TEST_CASE("a row that is none, and a line without end, are errors with the file's name") {
    Followed a;
    a.append(table_head + "1,x\n");
    CHECK_THAT(error_line<DataError>([&] { a.look(); }), Catch::Contains("epochs.csv"));
    Followed b;
    b.append(std::string(100'000, 'x'));
    CHECK_THAT(error_line<DataError>([&] { b.look(); }), Catch::Contains("epochs.csv: has a line of more"));
}
