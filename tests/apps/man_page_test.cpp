#include "man_page.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>
#include <sstream>

#include "base/run_program.hpp"
#include "subcommands.hpp"

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

/// Throws what is wrong with the lines of a page: a request that is not one of ours, or an end of a font that
/// never began.
void check_lines(const std::string& page) {
    static const std::regex request(R"(\.(TH|SH|TP|B|BR|nf|fi|br)( .*)?)");
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) {
        INFO(line);
        CHECK_FALSE(line.empty());
        CHECK_FALSE(line.starts_with("'"));
        if (line.starts_with(".")) CHECK(std::regex_match(line, request));
    }
}

}  // namespace

TEST_CASE("every subcommand has a manual page with all its options") {
    for (const auto& form : all_forms()) {
        INFO(form.name);
        const auto page = man_page(form);
        check_lines(page);
        CHECK_THAT(page, Catch::StartsWith(".TH CONVOY\\-") && Contains("\n.SH NAME\nconvoy\\-") &&
                             Contains("\n.SH SYNOPSIS\n") && Contains("\n.SH OPTIONS\n"));
        for (const auto& row : option_rows(form)) {
            INFO(row.name);
            auto name = row.name;
            for (auto at = name.find('-'); at != std::string::npos; at = name.find('-', at + 2))
                name.insert(at, "\\");
            CHECK_THAT(page, Contains("\\fB\\-\\-" + name + "\\fR"));
        }
    }
}

TEST_CASE("the manual page of convoy names subcommands and exit codes") {
    const auto page = man_page(all_forms());
    check_lines(page);
    for (const auto& form : all_forms()) CHECK_THAT(page, Contains("\\fBconvoy " + form.name + "\\fR"));
    CHECK_THAT(page, Contains(".B 65\n") && Contains(".B 130\n"));
}

TEST_CASE("texts that roff would take for its own language are shown as they are") {
    const CommandForm form{.name = "odd", .summary = ".B is no request - and \\f is 'no' font"};
    CHECK_THAT(man_page(form), Contains("\\- \\&.B is no request \\- and \\ef is \\(aqno\\(aq font"));
}

TEST_CASE("groff reads the manual pages without a warning") {
    for (const auto& form : all_forms()) {
        const auto outcome =
            run_program({"groff", "-man", "-Tascii", "-ww", "-z"}, man_page(form), std::chrono::seconds(60));
        INFO(form.name);
        CHECK(outcome.code == 0);
        CHECK(outcome.err.empty());
    }
}
