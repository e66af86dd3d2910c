#include "plan_command.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/checked.hpp"
#include "base/console.hpp"
#include "base/error.hpp"
#include "command_line.hpp"
#include "data/folders.hpp"
#include "experiment.hpp"
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

}  // namespace

int plan_command(std::span<const std::string> arguments) {
    namespace options = boost::program_options;
    options::options_description described("options");
    described.add_options()  //
        ("set", options::value<std::vector<std::string>>()->composing(),
         "KEY=VALUE: overrides a field of the spec; may repeat")  //
        ("nodes", options::value<std::int64_t>(),
         "N: plans for so many nodes, each with the share of a batch that a node of the spec has")  //
        ("data", options::value<std::string>(), "folder of datasets; else $CONVOY_DATA, else datasets/cache");
    const auto given = parse_arguments("plan", arguments, described, {"spec"});
    if (print_help(given, "convoy plan SPEC [options]: layers, programs and bytes per step, without running",
                   described))
        return 0;
    const std::filesystem::path file = given["spec"].as<std::vector<std::string>>().front();
    const auto data_folder = find_data_folder(path_given(given, "data"));
    const auto checked = check_spec(file, overrides_of(given, file), data_folder);
    for (const auto& warning : fields_without_effect(checked.spec)) say("warning: " + warning);
    if (const auto note = trace_note(checked)) say("warning: " + *note);
    print(plan_text(checked));
    require_memory_apart(checked);
    if (const auto shared = shared_cores_here(checked)) say("warning: on this machine alone " + *shared);
    return 0;
}

}  // namespace convoy
