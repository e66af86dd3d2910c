#include "measure/contention.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.hpp"
#include "base/error_line.hpp"
#include "measure/contention_json.hpp"
#include "measure/summary_example.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::StartsWith;

TEST_CASE("what two processes of a run saw adds up") {
    const auto before = contention_example();
    auto after = before;
    after.machine = "other";
    after.cores = 2;
    after.load_at_start = 1.0;
    after.start_mhz = 1.0;
    after.end_mhz = 2.0;
    const auto both = together(before, after);
    CHECK(both.machine == "other");
    CHECK(both.elapsed_s == 3.0);
    CHECK(both.cpu_s == 5.0);
    CHECK(both.starter_cpu_s == 7.0);
    CHECK(both.waited_s == 9.0);
    CHECK(both.involuntary_switches == 10);
    CHECK(both.machine_busy_s == 13.0);
    CHECK(both.steal_s == 15.0);
    CHECK(both.cores == 2);
    CHECK(both.load_at_start == 10.5);
    CHECK(both.start_mhz == 11.5);
    CHECK(both.end_mhz == 2.0);
    CHECK(both.retransmits == 30);
}

TEST_CASE("what one process did not tell is absent in the sum, and no 0") {
    auto before = contention_example();
    before.waited_s.reset();
    before.steal_s.reset();
    const auto both = together(before, contention_example());
    CHECK_FALSE(both.waited_s);
    CHECK_FALSE(both.steal_s);
    CHECK_FALSE(together(contention_example(), before).waited_s);
}

TEST_CASE("contention comes back from JSON, with what is absent") {
    CHECK(contention_from_json(contention_to_json(contention_example()), "here") == contention_example());
    const Contention least{.machine = "m"};
    const auto json = contention_to_json(least);
    for (const auto* key : {"starter_cpu_s", "waited_s", "machine_busy_s", "steal_s", "load_at_start",
                            "start_mhz", "end_mhz", "host", "host_cpu"})
        CHECK(json.at(key).is_null());
    CHECK(contention_from_json(json, "here") == least);
}

TEST_CASE("contention from outside is refused by field") {
    const auto refusal = [](const char* key, const nlohmann::json& value) {
        auto json = contention_to_json(contention_example());
        json[key] = value;
        return error_line<DataError>([&] { contention_from_json(json, "here"); });
    };
    CHECK_THAT(refusal("machine", "a\x1b[31m"), StartsWith("here: machine: expected "));
    CHECK_THAT(refusal("boot_id", 3), StartsWith("here: boot_id: expected "));
    CHECK_THAT(refusal("elapsed_s", -1.0), StartsWith("here: elapsed_s: expected "));
    CHECK_THAT(refusal("elapsed_s", nullptr), StartsWith("here: elapsed_s: expected a number"));
    CHECK_THAT(refusal("waited_s", "x"), StartsWith("here: waited_s: expected "));
    CHECK_THAT(refusal("cores", 1.5), StartsWith("here: cores: expected "));
    CHECK_THAT(refusal("host", -1), StartsWith("here: host: expected "));
    auto less = contention_to_json(contention_example());
    less.erase("steal_s");
    CHECK_THROWS_WITH(contention_from_json(less, "here"), "here: steal_s: expected a value or null");
    CHECK_THROWS_AS(contention_from_json(nlohmann::json(3), "here"), DataError);
}

TEST_CASE("nodes of one machine may use their cores together") {
    const auto bound = [](const char* cores, std::int64_t count) {
        return Contention{.usable_cores = count, .core_list = CoreList::parse(cores)};
    };
    const auto one = bound("0", 1), two = bound("0-1", 2), other = bound("3", 1);
    const auto silent = Contention{.usable_cores = 8};
    using Nodes = std::vector<const Contention*>;
    CHECK(usable_together(Nodes{&one, &two}) == 2);
    CHECK(usable_together(Nodes{&one, &two, &other}) == 3);
    CHECK(usable_together(Nodes{&one, &silent}) == 8);
    CHECK(usable_together(Nodes{}) == 1);
}
