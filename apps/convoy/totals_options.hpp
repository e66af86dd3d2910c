#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "report/operator_names.hpp"
#include "report/record_choice.hpp"
#include "report/table.hpp"

namespace convoy {

/// Which operators a table of their totals counts, and how. `compare` and `report` have these options.
struct TotalsWanted {
    enum class Per { run, epoch, step };
    RecordChoice choice = {};
    bool mean_of_nodes = false;
    Per per = Per::run;
    bool in_us = false;
    std::vector<OperatorName> names = {};  ///< empty: their own
};

/// Adds --epochs, --per, --nodes, --unit and --names.
void add_totals_options(boost::program_options::options_description& described);

/// Their values that are words, for a form.
void add_totals_words(std::map<std::string, std::vector<std::string>>& values);

/// Whether one of these options was given.
bool has_totals_options(const boost::program_options::variables_map& given);

/// Throws UsageError, which names the option, for a value that is none; DataError or MissingFileError for a
/// file of names.
TotalsWanted totals_given(const boost::program_options::variables_map& given);

/// The epochs that "2..6" or "3" names. Throws UsageError that names --epochs.
RecordChoice epochs_of(const std::string& text);

/// A rank as the value of --nodes. Throws UsageError that names --nodes.
std::int64_t rank_of(const std::string& text);

/// The table operator_totals of a run's folder. Throws as read_chosen_run.
Table totals_of_run(const std::filesystem::path& folder, const TotalsWanted& wanted);

/// Throws UsageError if these options were given for another table than operator_totals.
void require_totals_table(const boost::program_options::variables_map& given, std::string_view table);

}  // namespace convoy
