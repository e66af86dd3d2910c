#include "completion.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <set>
#include <sstream>

#include "base/run_program.hpp"
#include "base/temporary_folder.hpp"
#include "subcommands.hpp"

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

/// Lets bash complete the last word, in a folder with `a file.json` and `results/`.
class Bash {
  public:
    Bash() {
        folder_.write("convoy.bash", bash_completion(all_forms()));
        folder_.write("work/a file.json", "{}");
        folder_.write("work/results/x", "");
    }

    [[nodiscard]] std::set<std::string> complete(const std::string& words) const {
        const auto script = fmt::format(
            "set -eu\nsource {0}/convoy.bash\ncd {0}/work\nCOMP_WORDS=({1})\n"
            "COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n_convoy\n"
            "for found in \"${{COMPREPLY[@]}}\"; do printf '%s\\n' \"$found\"; done\n",
            folder_.path().string(), words);
        const auto outcome = run_program({"bash", "--norc", "-c", script}, "", std::chrono::seconds(60));
        INFO(outcome.err);
        CHECK(outcome.code == 0);
        CHECK(outcome.err.empty());
        std::set<std::string> found;
        std::istringstream lines(outcome.out);
        for (std::string line; std::getline(lines, line);) found.insert(line);
        return found;
    }

  private:
    TemporaryFolder folder_;
};

using Words = std::set<std::string>;

}  // namespace

TEST_CASE("bash completes subcommands, options, values, files and folders") {
    const Bash bash;
    CHECK(bash.complete("convoy re") == Words{"recover", "replicate", "report", "reproduce"});
    CHECK(bash.complete("convoy ''").contains("worker"));
    CHECK(bash.complete("convoy run --acc") == Words{"--accept-changes"});
    CHECK(bash.complete("convoy run a.json --res") == Words{"--resume"});
    CHECK(bash.complete("convoy report x --format c") == Words{"csv"});
    CHECK(bash.complete("convoy report x --format = c") == Words{"csv"});
    CHECK(bash.complete("convoy report x --format =").size() == 6);
    CHECK(bash.complete("convoy report --table oper") == Words{"operators", "operator_totals"});
    CHECK(bash.complete("convoy evaluate r --dataset ci") == Words{"cifar10"});
    CHECK(bash.complete("convoy run ''") == Words{"a file.json", "results"});
    CHECK(bash.complete("convoy run --out ''") == Words{"results"});
    CHECK(bash.complete("convoy run --set nodes=2 --token-file a") == Words{"a file.json"});
    CHECK(bash.complete("convoy run --set nodes = 2 --listen host : 80 ''") ==
          Words{"a file.json", "results"});
    CHECK(bash.complete("convoy run --await ''").empty());
    CHECK(bash.complete("convoy report one two ''") == Words{"a file.json", "results"});
}

TEST_CASE("bash tells the arguments of a subcommand apart, and subcommands of two words") {
    const Bash bash;
    CHECK(bash.complete("convoy dataset ''") == Words{"list", "verify", "fetch", "write"});
    CHECK(bash.complete("convoy dataset --data results v") == Words{"verify"});
    CHECK(bash.complete("convoy dataset --data = results v") == Words{"verify"});
    CHECK(bash.complete("convoy dataset verify fash") == Words{"fashion_mnist"});
    CHECK(bash.complete("convoy dataset verify mnist ''").empty());
    CHECK(bash.complete("convoy bench o") == Words{"operators"});
    CHECK(bash.complete("convoy bench allreduce --algorithm ri") == Words{"ring"});
    CHECK(bash.complete("convoy bench operators --thr") == Words{"--threads"});
    CHECK(bash.complete("convoy bench operators --wi").empty());
    CHECK(bash.complete("convoy bench operators a") == Words{"a file.json"});
    CHECK(bash.complete("convoy completion z") == Words{"zsh"});
}

TEST_CASE("zsh's and fish's scripts name every subcommand, option and value") {
    const auto forms = all_forms();
    const auto zsh = zsh_completion(forms);
    const auto fish = fish_completion(forms);
    CHECK_THAT(zsh, Catch::StartsWith("#compdef convoy\n"));
    for (const auto& form : forms) {
        INFO(form.name);
        CHECK_THAT(zsh, Contains(fmt::format("'{}')", form.name)));
        for (const auto& row : option_rows(form)) {
            INFO(row.name);
            CHECK_THAT(zsh, Contains(fmt::format("--{}{}[", row.name, row.value.empty() ? "" : "=")));
            CHECK_THAT(fish, Contains(fmt::format(" -l {} ", row.name)));
        }
    }
    CHECK_THAT(zsh, Contains(":NAME:(text csv markdown json html latex)'"));
    CHECK_THAT(fish, Contains("-l format -x -a 'text csv markdown json html latex'"));
    CHECK_THAT(zsh, Contains("'*--set=[") && Contains("'--data=[") && Contains(":DIR:_files -/'"));
}
