// A replication.json with published figures and notes: they are refused, or the page, its data and its
// picture can be made of them and of two runs.

#include <cstdlib>
#include <sstream>

#include "base/error.hpp"
#include "files_of_input.hpp"
#include "replication/notes.hpp"
#include "replication/published.hpp"
#include "replication/replication_page.hpp"
#include "report/render.hpp"

namespace {

/// The text of one of an input's files.
std::string file_in(std::string_view input, std::string_view name) {
    const auto begin = "@" + std::string(name) + "\n";
    const auto at = input.find(begin);
    if (at == std::string_view::npos) return {};
    const auto content = input.substr(at + begin.size());
    const auto end = content.find("\n@");
    return std::string(content.substr(0, end == std::string_view::npos ? end : end + 1));
}

/// Two runs of a node that convolves, sums up and decodes.
convoy::SystemRuns runs_of(const std::string& system, const convoy::ReplicationSpec& spec) {
    convoy::SystemRuns runs{.system = system};
    for (const std::int64_t batch : {24, 48}) {
        convoy::ChosenRun run{
            .results = {}, .epochs = 1, .steps = 2, .nodes = 1, .all_epochs = 2, .all_steps = 4};
        run.results.batch_size = batch;
        run.results.summaries.resize(1);
        for (const auto* name : {"Conv2D", "BiasAdd", "CollectiveReduce", "_Decode"}) {
            auto& row = run.results.operators.emplace_back();
            row.operator_name = name;
            row.name = "layer";
            row.pass = "forward";
            row.calls = 2;
            row.total_us = static_cast<double>(batch);
        }
        run.results.operators[2].communication = {3, 2, 1, 1, 1};
        runs.runs.push_back(convoy::measured_run(run, "run", spec));
    }
    return runs;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = convoy::fuzz::text_of_input(data, size);
    try {
        const auto spec = convoy::parse_replication(file_in(input, "replication.json"), "fuzz");
        std::istringstream figures(file_in(input, "figures.csv")), sentences(file_in(input, "notes.csv"));
        const auto published = convoy::read_published_csv(figures, "fuzz");
        const auto notes = convoy::read_notes_csv(sentences, "fuzz");
        const convoy::OwnRuns runs{.a = runs_of(spec.a, spec), .b = runs_of(spec.b, spec)};
        const convoy::Replication replication{
            .spec = spec, .experiment = "m", .published = published, .runs = runs, .notes = notes};
        if (convoy::replication_page(replication, convoy::replication_picture(replication)).empty())
            std::abort();
        if (convoy::replication_html(replication).empty()) std::abort();
        convoy::to_csv(convoy::replication_data(replication));
    } catch (const convoy::DataError&) {
        return 0;
    }
    return 0;
}
