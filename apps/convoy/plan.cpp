#include "plan.hpp"

#include <iostream>

#include "command_line.hpp"
#include "data/folders.hpp"
#include "experiment.hpp"
#include "spec/without_effect.hpp"

namespace convoy {

int plan_command(std::span<const std::string> arguments) {
    namespace options = boost::program_options;
    options::options_description described("options");
    described.add_options()  //
        ("set", options::value<std::vector<std::string>>()->composing(),
         "KEY=VALUE: overrides a field of the spec; may repeat")  //
        ("data", options::value<std::string>(), "folder of datasets; else $CONVOY_DATA, else datasets/cache");
    const auto given = parse_arguments("plan", arguments, described, {"spec"});
    if (print_help(given, "convoy plan SPEC [options]: layers, programs and bytes per step, without running",
                   described))
        return 0;
    const auto checked = check_spec(given["spec"].as<std::vector<std::string>>().front(),
                                    overrides_given(given), find_data_folder(path_given(given, "data")));
    for (const auto& warning : fields_without_effect(checked.spec))
        std::cerr << "convoy: warning: " << warning << '\n';
    print(checked.description);
    return 0;
}

}  // namespace convoy
