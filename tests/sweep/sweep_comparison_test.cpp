#include "sweep/sweep_comparison.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <initializer_list>
#include <sstream>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "report/render.hpp"

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

constexpr auto header =
    "nodes,repeat,seed,run_id,state,step_p50_us,examples_per_second,train_s,total_s,exposed_us,test_accuracy,"
    "peak_resident_bytes,measurement\n";

/// Five runs of a setting whose steps take this time, and a little more each.
std::string runs(const std::string& nodes, double step_us, const std::string& state = "done") {
    std::ostringstream text;
    for (int i = 0; i < 5; ++i)
        text << nodes << ',' << i << ',' << i << ",0123456789ab," << state << ',' << step_us + i
             << ",100,2,3,,0.5,1000," << (i == 0 ? "noisy" : "quiet") << '\n';
    return text.str();
}

SweepComparison compared(const std::string& a, const std::string& b) {
    std::istringstream in_a(a);
    std::istringstream in_b(b);
    return compare_sweeps(in_a, "a/runs.csv", in_b, "b/runs.csv");
}

}  // namespace

TEST_CASE("sweeps are compared setting by setting, figure by figure") {
    const auto found = compared(header + runs("1", 200) + runs("2", 100) + runs("4", 50),
                                header + runs("2", 150) + runs("1", 200) + runs("8", 50));
    const auto text = to_csv(found.table);
    CHECK_THAT(text, Contains("nodes,figure,n_a,n_b,not_quiet_a,not_quiet_b,median_a,median_b,ratio,ratio_"
                              "low,ratio_high,p,shown\n"));
    CHECK_THAT(text, Contains("\n1,step_p50_us,5,5,1,1,202,202,1,"));
    CHECK_THAT(text, Contains("\n2,step_p50_us,5,5,1,1,102,152,0.671"));
    CHECK_THAT(text, Contains("\n2,examples_per_second,5,5,1,1,100,100,1,1,1,1,no difference seen\n"));
    CHECK(found.table.rows.size() == 2 * 6);  // no run has exposed_us
    CHECK(found.notes == std::vector<std::string>{"only A has nodes=4", "only B has nodes=8"});
    for (const auto& row : found.table.rows) {
        const bool slower = row[0] == Cell("2") && row[1] == Cell("step_p50_us");
        CHECK(row.back() == Cell(slower ? "different" : "no difference seen"));
    }
}

TEST_CASE("runs that are not done count for nothing") {
    CHECK_THROWS_WITH(compared(header + runs("1", 200, "failed"), header + runs("1", 200)),
                      Contains("no setting in common whose runs are done"));
}

TEST_CASE("sweeps over other fields, and damaged files, are errors") {
    CHECK_THROWS_WITH(compared(header + runs("1", 200), "batch_size" + std::string(header).substr(5)),
                      Contains("compare sweeps over the same fields"));
    CHECK_THROWS_AS(compared("nothing\n", header), DataError);
    CHECK_THROWS_AS(compared(header + std::string("1,2\n"), header), DataError);
}

TEST_CASE("the least disturbed steps are compared where both versions of convoy tell of them") {
    std::istringstream lines(header + runs("1", 100));
    std::string newer;
    for (std::string line; std::getline(lines, line);)
        newer += line + (newer.empty() ? ",step_p05_us" : ",90.5") + "\n";
    CHECK_THAT(to_csv(compared(newer, newer).table), Contains("\n1,step_p05_us,5,5,1,1,90.5,90.5,1,"));
    CHECK_THAT(to_csv(compared(newer, header + runs("1", 100)).table), !Contains("step_p05_us"));
}

namespace {

/// Five runs of convoy with these undisturbed step times and quickest looks.
std::string runs_with_looks(const std::array<std::pair<double, double>, 5>& step_and_look_us) {
    std::istringstream lines(header + runs("1", 100));
    std::string text;
    std::getline(lines, text);
    text += ",step_undisturbed_us,core_look_us\n";
    for (const auto& [step_us, look_us] : step_and_look_us) {
        std::string line;
        std::getline(lines, line);
        text += line + "," + std::to_string(step_us) + "," + std::to_string(look_us) + "\n";
    }
    return text;
}

}  // namespace

TEST_CASE("runs whose cores were not as fast as most do not count among the undisturbed steps") {
    const auto quiet = runs_with_looks({{{90, 10}, {91, 10}, {92, 10.2}, {93, 10.3}, {94, 10.4}}});
    const auto one_slow = runs_with_looks({{{90, 10}, {91, 10}, {92, 10.2}, {93, 10.3}, {140, 10.5}}});
    const auto all_slow = runs_with_looks({{{140, 18}, {141, 18}, {142, 18}, {143, 18.5}, {144, 18.5}}});
    const auto found = compared(quiet, one_slow);
    CHECK_THAT(to_csv(found.table), Contains("\n1,step_undisturbed_us,5,4,1,1,90.2912621,90.2436703,"));
    CHECK(
        found.notes ==
        std::vector<std::string>{
            "nodes=1: 1 run of B left out of step_undisturbed_us: cores were quicker or slower than those of "
            "the runs that count"});
    // So does one whose cores were quicker than those of most.
    const auto one_quick = runs_with_looks({{{80, 9}, {91, 10}, {92, 10.2}, {93, 10.3}, {94, 10.4}}});
    const auto without_quick = compared(quiet, one_quick);
    CHECK_THAT(to_csv(without_quick.table), Contains("\n1,step_undisturbed_us,5,4,1,1,"));
    CHECK(without_quick.notes == found.notes);
    // Another machine or build may have other looks, so each is judged by its own.
    const auto apart = compared(quiet, all_slow);
    CHECK_THAT(to_csv(apart.table), Contains("\n1,step_undisturbed_us,5,5,1,1,90.2912621,140.108108,"));
    REQUIRE(apart.notes.size() == 1);
    CHECK_THAT(apart.notes[0], Contains("took 10.00 us in A, 18.00 in B: other machines or builds"));
    CHECK(compared(quiet, quiet).notes.empty());
    // Also where they differ by little, so that no sweep is left without a run.
    const auto slower = runs_with_looks({{{90, 11}, {91, 11}, {92, 11.1}, {93, 11.2}, {94, 11.3}}});
    const auto near = compared(quiet, slower);
    CHECK_THAT(to_csv(near.table), Contains("\n1,step_undisturbed_us,5,5,1,1,90.2912621,91.1711712,"));
    REQUIRE(near.notes.size() == 1);
    CHECK_THAT(near.notes[0], Contains("took 10.00 us in A, 11.00 in B"));
}

TEST_CASE("a run of which less than a quarter was undisturbed does not count") {
    const auto quiet = runs_with_looks({{{90, 10}, {91, 10}, {92, 10.2}, {93, 10.3}, {94, 10.4}}});
    const auto with_shares = [&](const std::array<const char*, 5>& shares_pct) {
        std::istringstream lines(quiet);
        std::string line, text;
        std::getline(lines, line);
        text = line + ",undisturbed_pct\n";
        for (const auto* share : shares_pct) {
            std::getline(lines, line);
            text += line + "," + share + "\n";
        }
        return text;
    };
    const auto found = compared(with_shares({"25", "24.9", "80", "100", ""}), quiet);
    CHECK_THAT(to_csv(found.table), Contains("\n1,step_undisturbed_us,4,5,1,1,"));
    CHECK(found.notes ==
          std::vector<std::string>{
              "nodes=1: 1 run of A left out of step_undisturbed_us: too few steps were undisturbed"});
}

TEST_CASE("runs with too few undisturbed steps are told, also where all of a sweep have too few") {
    const auto quiet = runs_with_looks({{{90, 10}, {91, 10}, {92, 10.2}, {93, 10.3}, {94, 10.4}}});
    const auto without = [](std::string text, std::initializer_list<int> steps_us) {
        for (const auto step_us : steps_us) {
            const auto value = "," + std::to_string(static_cast<double>(step_us)) + ",";
            text.replace(text.find(value), value.size(), ",,");
        }
        return text;
    };
    const auto some = compared(without(quiet, {90, 92}), quiet);
    CHECK_THAT(to_csv(some.table), Contains("\n1,step_undisturbed_us,3,5,1,1,90.3846154,90.2912621,"));
    CHECK(some.notes ==
          std::vector<std::string>{
              "nodes=1: 2 runs of A left out of step_undisturbed_us: too few steps were undisturbed"});
    const auto none = compared(quiet, without(quiet, {90, 91, 92, 93, 94}));
    CHECK_THAT(to_csv(none.table), !Contains("step_undisturbed_us"));
    CHECK(none.notes ==
          std::vector<std::string>{
              "nodes=1: 5 runs of B left out of step_undisturbed_us: too few steps were undisturbed"});
}
