#include "plan.hpp"

#include "command_line.hpp"
#include "spec/parse.hpp"
#include "train/describe.hpp"

namespace convoy {

int plan_command(std::span<const std::string> arguments) {
    namespace options = boost::program_options;
    options::options_description described("options");
    described.add_options()("set", options::value<std::vector<std::string>>()->composing(),
                            "KEY=VALUE: overrides a field of the spec; may repeat");
    const auto given = parse_arguments("plan", arguments, described, {"spec"});
    if (print_help(given, "convoy plan SPEC [options]: layers, programs and bytes per step, without running",
                   described))
        return 0;
    const auto overrides =
        given.contains("set") ? given["set"].as<std::vector<std::string>>() : std::vector<std::string>();
    print(describe(load_spec(given["spec"].as<std::vector<std::string>>().front(), overrides)));
    return 0;
}

}  // namespace convoy
