#include "command_form.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "base/error.hpp"
#include "command_line.hpp"
#include "subcommands.hpp"

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

namespace options = boost::program_options;

CommandForm example() {
    auto described = option_group();
    add_set_option(described, "the spec");
    described.add_options()                                                                    //
        ("steps", options::value<int>()->default_value(30)->value_name("N"), "counted steps")  //
        ("format", options::value<std::string>()->value_name("NAME"), "text or csv")           //
        ("out", options::value<std::string>()->value_name("FILE"), "where it goes")            //
        ("data", options::value<std::string>()->value_name("DIR"), "where it is")              //
        ("json", "as JSON");
    return {.name = "try",
            .arguments = {{.name = "spec", .shown = "SPEC"},
                          {.name = "run", .shown = "RUN", .count = Argument::Count::many}},
            .summary = "tries",
            .options = described,
            .values = {{"format", {"text", "csv"}}}};
}

}  // namespace

TEST_CASE("the options of a form are known by kind, and --help is one of them") {
    const auto rows = option_rows(example());
    REQUIRE(rows.size() == 7);
    CHECK(rows[0].value == "FIELD=VALUE");
    CHECK(rows[0].kind == ValueKind::other);
    CHECK(rows[1].value == "N");
    CHECK(rows[1].standard == "30");
    CHECK(rows[2].kind == ValueKind::words);
    CHECK(rows[2].words == std::vector<std::string>{"text", "csv"});
    CHECK(rows[3].kind == ValueKind::file);
    CHECK(rows[4].kind == ValueKind::folder);
    CHECK(rows[5].kind == ValueKind::none);
    CHECK(rows[5].value.empty());
    CHECK(rows[6].name == "help");
    CHECK(synopsis(example()) == "convoy try SPEC RUN... [options]");
}

TEST_CASE("a command line is parsed by its form") {
    const auto form = example();
    const std::vector<std::string> words{"a.json", "one", "two", "--set", "nodes=2", "--steps", "7"};
    const auto given = parse_arguments(form, words);
    CHECK(argument_given(given, "spec") == "a.json");
    CHECK(given["run"].as<std::vector<std::string>>() == std::vector<std::string>{"one", "two"});
    CHECK(overrides_given(given) == std::vector<std::string>{"nodes=2"});
    CHECK(given["steps"].as<int>() == 7);
    const std::vector<std::string> too_few{"a.json"};
    CHECK_THROWS_WITH(parse_arguments(form, too_few), "try: no run is given; see convoy try --help");
    const std::vector<std::string> mistyped{"a.json", "b", "--step5", "2"};
    CHECK_THROWS_WITH(parse_arguments(form, mistyped), Contains("did you mean --steps?"));
}

TEST_CASE("the words of a list are found in both of its forms") {
    CHECK(words_of_list("a, b or c") == std::vector<std::string>{"a", "b", "c"});
    CHECK(words_of_list("a, b") == std::vector<std::string>{"a", "b"});
}

TEST_CASE("every subcommand has a name of its own, a summary, and an explanation and value for each option") {
    std::set<std::string> names;
    for (const auto& form : all_forms()) {
        INFO(form.name);
        CHECK(names.insert(form.name).second);
        CHECK_FALSE(form.summary.empty());
        CHECK(form.summary.size() <= 90);
        CHECK_FALSE(form.summary.ends_with("."));
        for (const auto& row : option_rows(form)) {
            INFO(row.name);
            CHECK_FALSE(row.meaning.empty());
            CHECK(row.value != "arg");
        }
        for (const auto& [option, words] : form.values) {
            INFO(option);
            CHECK(form.options.find_nothrow(option, false) != nullptr);
            CHECK(words.size() > 1);
        }
    }
}
