#include "report/measurement.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "example_run.hpp"
#include "report/html.hpp"
#include "report/overview.hpp"
#include "report/render.hpp"
#include "report/run_page.hpp"
#include "report/summary.hpp"
#include "report/tables.hpp"

using namespace convoy;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// A node that kept one of two cores busy for ten seconds, alone on its machine.
NodeSummary alone() {
    NodeSummary node;
    node.steps = 10;
    node.contention = Contention{.machine = "box",
                                 .boot_id = "0a1b2c3d",
                                 .elapsed_s = 10.0,
                                 .cpu_s = 10.0,
                                 .starter_cpu_s = 0.2,
                                 .waited_s = 0.1,
                                 .machine_busy_s = 10.2,
                                 .steal_s = 0.0,
                                 .cores = 2,
                                 .usable_cores = 2};
    return node;
}

RunResults run_of(std::vector<NodeSummary> nodes) {
    RunResults results;
    results.name = "example";
    results.run_id = "0123456789ab";
    results.batch_size = 1;
    results.nodes = std::ssize(nodes);
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].node = static_cast<std::int64_t>(i);
    results.summaries = std::move(nodes);
    return results;
}

/// A node of a machine of which others used so many of its two cores.
NodeSummary beside(double others_cores, double elapsed_s = 10.0) {
    auto node = alone();
    auto& seen = *node.contention;
    seen.elapsed_s = elapsed_s;
    seen.cpu_s = elapsed_s;
    seen.machine_busy_s = elapsed_s + 0.2 + others_cores * elapsed_s;
    return node;
}

Verdict verdict_of(const RunResults& run) {
    return measurement_of(run).value().verdict;
}

}  // namespace

TEST_CASE("a run alone on its machine is quiet") {
    const auto found = measurement_of(run_of({alone()})).value();
    CHECK(found.verdict == Verdict::quiet);
    CHECK(found.causes.empty());
    CHECK(found.others_cores.value() == Approx(0.0).margin(1e-9));
    CHECK(found.steal_pct == 0.0);
    CHECK(found.waited_pct == Approx(1.0));
    CHECK(measurement_lines(run_of({alone()})) == "measurement: quiet\n");
}

TEST_CASE("a run beside a process that keeps a core busy, or a good part of it, is noisy") {
    for (const double elapsed_s : {1.0, 2.0, 10.0, 1000.0}) {
        CAPTURE(elapsed_s);
        CHECK(verdict_of(run_of({beside(1.0, elapsed_s)})) == Verdict::noisy);
        CHECK(verdict_of(run_of({beside(0.67, elapsed_s)})) == Verdict::noisy);
        CHECK(verdict_of(run_of({beside(0.01, elapsed_s)})) == Verdict::quiet);
    }
    const auto found = measurement_of(run_of({beside(0.9)})).value();
    REQUIRE(found.causes.size() == 1);
    CHECK(found.causes[0].cause == "other processes used 0.90 of 2 cores");
    CHECK_THAT(measurement_lines(run_of({beside(0.9)})),
               StartsWith("measurement: noisy: other processes used 0.90 of 2 cores; end them"));
}

TEST_CASE("a short run is not noisy by the ticks in which /proc counts") {
    CHECK(verdict_of(run_of({beside(0.2, 0.5)})) == Verdict::quiet);
    CHECK(verdict_of(run_of({beside(0.2, 100.0)})) == Verdict::noisy);
}

TEST_CASE("a run that is too short to see others is not called quiet") {
    for (const double others : {0.0, 0.3}) {
        const auto found = measurement_of(run_of({beside(others, 0.15)})).value();
        CHECK(found.verdict == Verdict::noisy);
        REQUIRE(found.causes.size() == 1);
        CHECK(found.causes[0].cause == "0.15 s are too short to see whether others used the machine");
        CHECK(found.causes[0].remedy == "train for more steps");
    }
    CHECK_THAT(measurement_lines(run_of({beside(2.0, 0.15)})), Contains("other processes used 2.00 of 2"));
}

TEST_CASE("what the nodes of a machine and their launcher used is not that of others") {
    auto one = alone();
    auto other = alone();
    one.contention->cpu_s = 9.0;
    other.contention->cpu_s = 9.5;
    one.contention->machine_busy_s = other.contention->machine_busy_s = 18.7;
    CHECK(verdict_of(run_of({one, other})) == Verdict::quiet);
    // On another machine each of them would have had others beside it.
    other.contention->boot_id = "another";
    CHECK(verdict_of(run_of({one, other})) == Verdict::noisy);
    // A launcher that works a lot.
    auto busy = alone();
    busy.contention->machine_busy_s = 15.0;
    busy.contention->starter_cpu_s = 5.0;
    CHECK(verdict_of(run_of({busy})) == Verdict::quiet);
    busy.contention->starter_cpu_s.reset();
    CHECK(verdict_of(run_of({busy})) == Verdict::noisy);
}

TEST_CASE("nodes that end early are measured by the longest of their machine") {
    auto early = alone();
    early.contention->elapsed_s = 5.0;
    early.contention->cpu_s = 5.0;
    early.contention->machine_busy_s = 10.1;
    auto late = alone();
    late.contention->machine_busy_s = 15.2;
    CHECK(verdict_of(run_of({early, late})) == Verdict::quiet);
    CHECK(verdict_of(run_of({late, early})) == Verdict::quiet);
}

TEST_CASE("a machine is told by its name where there are several") {
    auto far = beside(0.9);
    far.contention->machine = "far";
    far.contention->boot_id = "";
    const auto found = measurement_of(run_of({alone(), far})).value();
    REQUIRE(found.causes.size() == 1);
    CHECK(found.causes[0].cause == "other processes used 0.90 of 2 cores, on far");
}

TEST_CASE("a guest whose cores went to other guests is noisy") {
    auto guest = alone();
    guest.contention->steal_s = 2.0;
    const auto found = measurement_of(run_of({guest})).value();
    CHECK(found.verdict == Verdict::noisy);
    REQUIRE(found.causes.size() == 1);
    CHECK(found.causes[0].cause == "the hypervisor gave 10.0% of the cores to other guests");
    CHECK(found.steal_pct == Approx(10.0));
    guest.contention->steal_s = 0.1;
    CHECK(verdict_of(run_of({guest})) == Verdict::quiet);
}

TEST_CASE("nodes with more threads than cores are invalid, however quiet the machine is") {
    auto node = alone();
    node.contention->machine_busy_s = 20.0;
    node.threads = 2;
    CHECK(verdict_of(run_of({node})) == Verdict::noisy);
    const auto found = measurement_of(run_of({node, node})).value();
    CHECK(found.verdict == Verdict::invalid);
    REQUIRE_FALSE(found.causes.empty());
    CHECK_THAT(found.causes[0].cause, StartsWith("ranks 0 to 1 have 4 compute threads, and 2 cores"));
    // Both at once: the worse one decides and is told first.
    auto loaded = node;
    loaded.threads = 3;
    const auto both = measurement_of(run_of({loaded})).value();
    CHECK(both.verdict == Verdict::invalid);
    REQUIRE(both.causes.size() == 2);
    CHECK_THAT(both.causes[0].cause, StartsWith("rank 0 has 3 compute threads"));
}

TEST_CASE("nodes that are bound to cores of their own have these cores together") {
    const auto bound = [](const char* cores) {
        auto node = alone();
        node.contention->machine_busy_s = 20.2;
        node.contention->core_list = CoreList::parse(cores);
        node.contention->usable_cores = node.contention->core_list->size();
        node.contention->cores = 4;
        return node;
    };
    CHECK(verdict_of(run_of({bound("0"), bound("1")})) == Verdict::quiet);
    const auto same = measurement_of(run_of({bound("1"), bound("1")})).value();
    CHECK(same.verdict == Verdict::invalid);
    CHECK_THAT(same.causes.at(0).cause, StartsWith("ranks 0 to 1 have 2 compute threads, and 1 core is"));
    CHECK(same.causes.at(0).remedy ==
          "use fewer nodes or threads, or more machines, or let the nodes use more of the 4 cores (mpirun: "
          "--bind-to "
          "none)");
    // Enough together, but not for one of them.
    auto wide = bound("0");
    wide.threads = 2;
    const auto one = measurement_of(run_of({bound("1-2"), wide})).value();
    CHECK(one.verdict == Verdict::invalid);
    CHECK_THAT(one.causes.at(0).cause, StartsWith("rank 1 has 2 compute threads, and 1 core is usable"));
    // Enough together and for each, but two of them are bound to one core.
    const auto two = measurement_of(run_of({bound("0"), bound("1-2"), bound("0")})).value();
    CHECK(two.verdict == Verdict::invalid);
    CHECK_THAT(two.causes.at(0).cause, StartsWith("ranks 0, 2 have 2 compute threads, and 1 core is usable"));
}

TEST_CASE("emulated hosts wait for their quota by design") {
    auto host = alone();
    host.contention->host_cpu = 0.35;
    host.contention->cpu_s = 3.5;
    host.contention->waited_s = 6.0;
    host.contention->machine_busy_s = 5 * 3.5 + 0.2;
    std::vector<NodeSummary> hosts(5, host);
    for (std::size_t i = 0; i < hosts.size(); ++i) hosts[i].contention->host = static_cast<std::int64_t>(i);
    const auto found = measurement_of(run_of(hosts)).value();
    CHECK(found.verdict == Verdict::quiet);
    CHECK(found.waited_pct == Approx(60.0));
    for (auto& each : hosts) each.contention->host_cpu = 0.5;
    CHECK(verdict_of(run_of(hosts)) == Verdict::invalid);
}

TEST_CASE("ranks that a continued run has no longer do not share the cores with those that it has") {
    auto gone = alone();
    gone.steps = 4;
    gone.contention->elapsed_s = 4.0;
    gone.contention->cpu_s = 4.0;
    auto stays = alone();
    stays.threads = 2;
    stays.contention->machine_busy_s = 14.2;
    CHECK(verdict_of(run_of({stays, gone})) == Verdict::quiet);
    gone.steps = 10;
    CHECK(verdict_of(run_of({stays, gone})) == Verdict::invalid);
}

TEST_CASE("there is no verdict where a node told nothing") {
    CHECK_FALSE(measurement_of(run_of({})));
    CHECK_FALSE(measurement_of(run_of({alone(), NodeSummary{}})));
    CHECK(measurement_json(run_of({NodeSummary{}})).is_null());
    auto dumb = alone();
    dumb.contention->machine_busy_s.reset();
    dumb.contention->steal_s.reset();
    dumb.contention->waited_s.reset();
    const auto found = measurement_of(run_of({dumb})).value();
    CHECK_FALSE(found.others_cores);
    CHECK_FALSE(found.steal_pct);
    CHECK_FALSE(found.waited_pct);
    CHECK(measurement_json(run_of({dumb})).at("others_cores").is_null());
}

TEST_CASE("summary.json has the verdict with causes and remedies, and what each node saw") {
    const auto results = run_of({beside(0.9)});
    const auto summary = summary_json(results);
    const auto& measurement = summary.at("measurement");
    CHECK(measurement.at("verdict") == "noisy");
    REQUIRE(measurement.at("causes").size() == 1);
    CHECK(measurement.at("causes")[0].at("cause") == "other processes used 0.90 of 2 cores");
    CHECK(measurement.at("causes")[0].at("remedy").get<std::string>().starts_with("end them"));
    CHECK(measurement.at("others_cores").get<double>() == Approx(0.9));
    CHECK(summary.at("per_node")[0].at("contention").at("machine") == "box");
    RunResults read;
    read_summary_json(summary, "summary.json", read);
    CHECK(read.summaries == results.summaries);
    // The folder of an older version.
    auto older = summary;
    older.erase("measurement");
    older["per_node"][0].erase("contention");
    RunResults old;
    read_summary_json(older, "summary.json", old);
    CHECK_FALSE(measurement_of(old));
    CHECK(summary_json(old).at("measurement").is_null());
    const std::string reason = "not all nodes told how they shared their machines";
    CHECK(summary_json(old).at("measurement_reason") == reason);
    CHECK(measurement_lines(old) == "measurement: no verdict: " + reason + "\n");
}

TEST_CASE("the reports of a run say in a line whether to trust its times") {
    const auto noisy = run_of({beside(0.9)});
    constexpr auto line = "measurement: noisy: other processes used 0.90 of 2 cores; ";
    CHECK_THAT(overview_text(noisy, {}), Contains(std::string("\n\n") + line));
    CHECK_THAT(overview_markdown(noisy), Contains(std::string("\n\n") + line));
    CHECK_THAT(run_page(noisy, "{}", "{}", std::nullopt),
               Contains("<div class=\"warns\"><dt>Are the times to be trusted?</dt><dd><b>with care: "
                        "noisy</b>other processes used "
                        "0.90 of 2 cores; "));
    CHECK_THAT(run_page(run_of({alone()}), "{}", "{}", std::nullopt),
               Contains("<div><dt>Are the times to be trusted?</dt><dd><b>yes: quiet</b>"));
    CHECK_THAT(to_csv(final_table(noisy)), Contains(",measurement\n") && Contains(",noisy\n"));
    CHECK(html_lines("a<\nb\n", false) == "<p>a&lt;</p>\n<p>b</p>\n");
}

TEST_CASE("segments that were sent again are counted over all nodes") {
    auto one = alone();
    auto other = alone();
    CHECK(measurement_json(run_of({one, other})).at("retransmits").is_null());
    one.contention->retransmits = 3;
    other.contention->retransmits = 4;
    CHECK(measurement_json(run_of({one, other})).at("retransmits") == 7);
}

TEST_CASE("what each node saw is a table, with empty cells for what was not told") {
    auto node = alone();
    node.contention->end_mhz = 2600.0;
    CHECK(to_csv(measurement_table(run_of({node, NodeSummary{}}))) ==
          "node,machine,threads,usable_cores,elapsed_s,cpu_s,waited_s,involuntary_switches,machine_busy_s,"
          "steal_s,load_at_start,start_mhz,end_mhz,retransmits\n"
          "0,box,1,2,10,10,0.1,0,10.2,0,,,2600,\n"
          "1,,1,,,,,,,,,,,\n");
}

TEST_CASE("a run whose core was often slow says so, whatever its verdict") {
    const auto with_slow_looks = [](RunResults run, std::int64_t slow) {
        for (std::int64_t step = 1; step <= 100; ++step) {
            StepRecord row;
            row.step = step;
            row.step_us = 100.0;
            row.core_look_us = step <= slow ? 18.0 : 10.0;
            run.steps.push_back(row);
        }
        return run;
    };
    const auto quiet = with_slow_looks(run_of({alone()}), 43);
    CHECK(measurement_json(quiet).at("core_look_us") == 10.0);
    CHECK(measurement_json(quiet).at("slow_core_pct") == 43.0);
    CHECK(measurement_json(quiet).at("undisturbed_pct").get<double>() ==
          Approx(100.0 * 56 / 95));  // 44 to 99, without a warm-up of 5
    CHECK_THAT(measurement_lines(quiet),
               StartsWith("measurement: quiet\nmeasurement: note: before 43% of the steps a core was slow,"));
    CHECK_THAT(run_page(quiet, "{}", "{}", std::nullopt),
               Contains("Before 43% of the steps a core was slow,"));
    CHECK_THAT(measurement_lines(quiet),
               Contains("an undisturbed step took ") && Contains("(step_us.undisturbed)"));
    CHECK_THAT(measurement_lines(with_slow_looks(run_of({alone()}), 95)),
               Contains("before 95% of the steps") && Contains("too few steps were undisturbed"));
    CHECK(measurement_lines(with_slow_looks(run_of({alone()}), 10)) == "measurement: quiet\n");
    CHECK_THAT(measurement_lines(with_slow_looks(run_of({beside(1.0)}), 50)),
               StartsWith("measurement: noisy:") &&
                   Contains("\nmeasurement: note: before 50% of the steps a core was slow"));
    auto crowded = run_of({alone()});
    crowded.summaries[0].threads = 3;
    CHECK_THAT(measurement_lines(with_slow_looks(crowded, 50)),
               StartsWith("measurement: invalid:") && !Contains("note"));
    CHECK(measurement_json(run_of({alone()})).at("slow_core_pct").is_null());
}
