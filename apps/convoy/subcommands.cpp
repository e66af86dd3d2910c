#include "subcommands.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "base/error.hpp"
#include "base/similar_name.hpp"
#include "bench.hpp"
#include "bench_operators.hpp"
#include "calibrate.hpp"
#include "compare.hpp"
#include "completion_command.hpp"
#include "dataset_command.hpp"
#include "evaluate.hpp"
#include "init_command.hpp"
#include "man_command.hpp"
#include "paper.hpp"
#include "plan_command.hpp"
#include "recover.hpp"
#include "replicate.hpp"
#include "report.hpp"
#include "reproduce.hpp"
#include "run.hpp"
#include "sweep.hpp"
#include "top.hpp"
#include "watch.hpp"
#include "worker_command.hpp"

namespace convoy {
namespace {

constexpr std::array<Subcommand, 20> table{{
    {init_form, init_command},
    {run_form, run_command},
    {sweep_form, sweep_command},
    {watch_form, watch_command},
    {top_form, top_command},
    {recover_form, recover_command},
    {report_form, report_command},
    {compare_form, compare_command},
    {replicate_form, replicate_command},
    {paper_form, paper_command},
    {reproduce_form, reproduce_command},
    {evaluate_form, evaluate_command},
    {plan_form, plan_command},
    {dataset_form, dataset_command},
    {calibrate_form, calibrate_command},
    {bench_form, bench_command},
    {bench_operators_form, bench_operators_command},
    {worker_form, worker_command},
    {completion_form, completion_command},
    {man_form, man_command},
}};

}  // namespace

std::span<const Subcommand> subcommands() {
    return table;
}

std::vector<CommandForm> all_forms() {
    std::vector<CommandForm> forms;
    for (const auto& subcommand : table) forms.push_back(subcommand.form());
    return forms;
}

int run_subcommand(std::span<const std::string> words) {
    const auto forms = all_forms();
    const auto find = [&](const std::string& name) -> const Subcommand* {
        for (std::size_t i = 0; i < forms.size(); ++i) {
            if (forms[i].name == name) return &table[i];
        }
        return nullptr;
    };
    if (words.size() > 1) {
        if (const auto* found = find(words[0] + " " + words[1])) return found->run(words.subspan(2));
    }
    if (const auto* found = find(words[0])) return found->run(words.subspan(1));
    std::vector<std::string_view> names;
    for (const auto& form : forms) names.emplace_back(form.name);
    throw UsageError(fmt::format("\"{}\" is not a subcommand{}; see convoy --help", words[0],
                                 did_you_mean(words[0], names)));
}

}  // namespace convoy
