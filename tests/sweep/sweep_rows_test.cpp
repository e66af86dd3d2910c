#include "sweep/sweep_rows.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <sstream>

#include "base/error.hpp"

using namespace convoy;

namespace {

SweepRows rows_of(const std::string& csv) {
    std::istringstream text(csv);
    constexpr std::array<std::string_view, 2> figures{"step_p50_us", "train_s"};
    return read_sweep_rows(text, "runs.csv", figures);
}

}  // namespace

TEST_CASE("runs.csv is read with the figures that are asked for, also those of runs that are not done") {
    const auto sweep = rows_of(
        "batch_size,strategy,repeat,seed,run_id,state,train_loss,step_p50_us,train_s,measurement\n"
        "32,\"{\"\"name\"\":\"\"local\"\"}\",0,1,aa,done,0.5,1000,2.5,quiet\n"
        "64,ring,0,1,bb,done,,,2,noisy\n"
        "32,ring,0,1,cc,failed,,,,\n"
        "64,local,0,1,dd,done,,1,2,invalid\n");
    CHECK(sweep.fields == std::vector<std::string>{"batch_size", "strategy"});
    REQUIRE(sweep.rows.size() == 4);
    CHECK(sweep.rows[0].settings == std::vector<std::string>{"32", R"({"name":"local"})"});
    CHECK(sweep.rows[0].run_id == "aa");
    CHECK(sweep.rows[0].result("step_p50_us") == 1000.0);
    CHECK(sweep.rows[0].result("train_s") == 2.5);
    CHECK_FALSE(sweep.rows[0].result("train_loss"));
    CHECK_FALSE(sweep.rows[0].not_quiet);
    CHECK_FALSE(sweep.rows[1].result("step_p50_us"));
    CHECK(sweep.rows[1].not_quiet);
    CHECK_FALSE(sweep.rows[2].done);
    CHECK_FALSE(sweep.rows[2].not_quiet);
    CHECK(sweep.rows[3].not_quiet);
}

TEST_CASE("a runs.csv of an earlier version has no verdicts, and what is no runs.csv is refused") {
    const auto sweep = rows_of("nodes,repeat,state,step_p50_us,train_s\n1,0,done,5,6\n");
    CHECK(sweep.rows[0].done);
    CHECK_FALSE(sweep.rows[0].not_quiet);
    CHECK(sweep.rows[0].run_id.empty());
    CHECK_THROWS_AS(rows_of("nodes,state,step_p50_us,train_s\n"), DataError);
    CHECK_THROWS_AS(rows_of("nodes,repeat,state,step_p50_us\n"), DataError);
    CHECK_THROWS_AS(rows_of("nodes,repeat,state,step_p50_us,train_s\n1,0,done,x,6\n"), DataError);
}

TEST_CASE("a setting is a number only as a whole, and if it is finite") {
    CHECK(setting_number("48") == 48.0);
    CHECK(setting_number("-0.5e1") == -5.0);
    for (const auto* text : {"", "4 nodes", "true", "nan", "inf", "1e999", "{\"name\":1}"})
        CHECK_FALSE(setting_number(text));
}
