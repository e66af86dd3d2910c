#include "compare.hpp"

#include <fmt/format.h>

#include "base/console.hpp"
#include "base/error.hpp"
#include "command_line.hpp"
#include "report/comparison.hpp"
#include "report/render.hpp"
#include "report/run_folder.hpp"
#include "report/tables.hpp"

namespace convoy {
namespace {

namespace options = boost::program_options;

options::options_description compare_options_described() {
    options::options_description described("options");
    described.add_options()                                                         //
        ("table", options::value<std::string>()->default_value("operator_totals"),  //
         table_names().c_str())                                                     //
        ("format", options::value<std::string>()->default_value("text"), table_formats);
    return described;
}

Table table_of(const RunResults& results, const std::string& name) {
    return named_table(name)(results);
}

}  // namespace

int compare_command(std::span<const std::string> arguments) {
    const auto described = compare_options_described();
    const auto given = parse_arguments("compare", arguments, described, {"run_a", "run_b"});
    if (print_help(given, "convoy compare RUN_A RUN_B [options]: ratios A/B, row by row", described))
        return 0;
    const auto run_of = [&given](const char* name) {
        return given[name].as<std::vector<std::string>>().front();
    };
    const auto format = given["format"].as<std::string>();
    const auto known = table_format(format);
    if (!known) throw UsageError(fmt::format("--format: found \"{}\", expected {}", format, table_formats));
    const auto& name = given["table"].as<std::string>();
    const auto a = read_run_folder(run_of("run_a"));
    const auto b = read_run_folder(run_of("run_b"));
    print(render(compare(table_of(a, name), table_of(b, name)), *known));
    return 0;
}

}  // namespace convoy
