#include "plan_command.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/checked.hpp"
#include "base/console.hpp"
#include "base/error.hpp"
#include "base/json_text.hpp"
#include "checked_spec.hpp"
#include "command_line.hpp"
#include "data/folders.hpp"
#include "error_json.hpp"
#include "spec/parse.hpp"
#include "spec/without_effect.hpp"

namespace convoy {
namespace {

/// What is set on the command line; with --nodes also the nodes, and a batch that grows with them.
std::vector<std::string> overrides_of(const boost::program_options::variables_map& given,
                                      const std::filesystem::path& file) {
    auto overrides = overrides_given(given);
    if (!given.contains("nodes")) return overrides;
    const auto nodes = given["nodes"].as<std::int64_t>();
    if (nodes < 1) throw UsageError(fmt::format("convoy plan: --nodes is {}, expected at least 1", nodes));
    const auto spec = load_spec(file, overrides);
    overrides.push_back(fmt::format("nodes={}", nodes));
    overrides.push_back(
        fmt::format("batch_size={}", (Checked(spec.batch_size) * nodes).value() / spec.world_size()));
    return overrides;
}

/// Prints the plan as JSON; if a node does not fit, with the error in it. Returns the exit code.
int print_json(const CheckedSpec& checked) {
    const auto content = plan_content(checked);
    try {
        require_memory_apart(checked);
    } catch (const Error& error) {
        return print_with_error(content, error);
    }
    print(json_text(content, 2) + "\n");
    return 0;
}

}  // namespace

CommandForm plan_form() {
    namespace options = boost::program_options;
    auto described = option_group();
    add_set_option(described, "the spec");
    described.add_options()(
        "nodes", options::value<std::int64_t>()->value_name("N"),
        "plans for so many nodes, each with the share of a batch that a node of the spec has");
    add_data_option(described);
    described.add_options()("json", "print one JSON object");
    return {.name = "plan",
            .arguments = {{.name = "spec", .shown = "SPEC"}},
            .summary = "prints layers, programs and bytes per step, without training",
            .options = described};
}

int plan_command(std::span<const std::string> arguments) {
    const auto form = plan_form();
    const auto given = parse_arguments(form, arguments);
    if (print_help(given, form)) return 0;
    const std::filesystem::path file = spec_given(given);
    const auto data_folder = find_data_folder(path_given(given, "data"));
    const auto checked = check_spec(file, overrides_of(given, file), data_folder);
    for (const auto& warning : fields_without_effect(checked.spec)) say("warning: " + warning);
    if (const auto note = trace_note(checked)) say("warning: " + *note);
    int code = 0;
    if (given.contains("json")) {
        code = print_json(checked);
    } else {
        print(plan_text(checked));
        require_memory_apart(checked);
    }
    const auto shared = code == 0 ? shared_cores_here(checked) : std::nullopt;
    if (shared) say("warning: on this machine alone " + *shared);
    return code;
}

}  // namespace convoy
