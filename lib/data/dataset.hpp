#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/example_values.hpp"
#include "spec/experiment_spec.hpp"
#include "tensor/example_shape.hpp"

namespace convoy {

/// Labelled examples of one shape, of one input or several. A value: copies and slices share the examples,
/// which never change.
class Dataset {
  public:
    /// labels: one per example of values, each in [0, classes).
    /// file_sizes: how many of them each file holds that they are stored in, one behind the other; empty: all
    /// in one.
    Dataset(ExampleShape shape, std::int64_t classes, std::vector<std::int32_t> labels,
            std::shared_ptr<const ExampleValues> values, std::span<const std::int64_t> file_sizes = {});

    [[nodiscard]] const ExampleShape& example_shape() const { return shape_; }
    [[nodiscard]] std::int64_t classes() const { return classes_; }
    [[nodiscard]] std::int64_t size() const { return count_; }
    /// Label of each example, valid as long as a copy of this dataset lives.
    [[nodiscard]] std::span<const std::int32_t> labels() const;

    /// Writes one example, normalised: its inputs side by side as example_shape() tells. Safe from several
    /// threads; allocates nothing. Throws DataError where the example has to be read from a file and cannot.
    void read(std::uint32_t example, std::span<float> into) const;

    /// Mean of each value over all examples, and the same examples without it.
    [[nodiscard]] std::vector<float> mean() const;
    [[nodiscard]] Dataset without_mean(const std::vector<float>& mean) const;

    /// The same examples, converted once: now, or each when it is first read. Throws OutputError where there
    /// is no room for them, and what read throws.
    [[nodiscard]] Dataset prepared(Prepare when, PreparedStore place) const;

    /// The examples [first, first + count), numbered from 0.
    [[nodiscard]] Dataset slice(std::int64_t first, std::int64_t count) const;

    /// The examples of these numbers, in this order.
    [[nodiscard]] Dataset select(std::vector<std::uint32_t> examples) const;

    /// How many examples in a row are from one file, stretch by stretch.
    [[nodiscard]] std::vector<std::int64_t> file_sizes() const;
    /// The same examples in the order of files that are read in turn.
    [[nodiscard]] Dataset interleaved(const InterleaveSpec& spec) const;

  private:
    ExampleShape shape_;
    std::int64_t classes_;
    std::int64_t first_ = 0, count_;
    std::shared_ptr<const std::vector<std::int32_t>> labels_;
    std::shared_ptr<const ExampleValues> values_;
    std::vector<std::int64_t>
        file_ends_;  // behind the last example of each file, counted from 0, not from first_
};

/// A dataset as an experiment uses it.
struct DataSplits {
    Dataset train;
    std::optional<Dataset>
        validation;  ///< the end of the training examples, where validation_fraction asks for it
    Dataset test;
};

/// What is known of a dataset before anything of it is read.
struct DatasetInfo {
    std::string name;
    ExampleShape example_shape;
    std::int64_t classes;
    std::int64_t train_examples, test_examples;  ///< where the spec does not say how many
    bool generated;                              ///< drawn by convoy: there is nothing to download
};

/// All datasets that convoy knows by name; others are NPY files of the user's own.
std::span<const DatasetInfo> known_datasets();

/// Throws DataError that names the field and the datasets there are.
const DatasetInfo& dataset_info(std::string_view name);

/// The same for a spec's dataset; where it is NPY files, they are looked at, relative paths in data_folder.
/// Throws MissingFileError, or DataError that names file or field.
DatasetInfo dataset_info(const DatasetSpec& spec, const std::filesystem::path& data_folder);

/// How many examples of each split an experiment uses.
struct SplitSizes {
    std::int64_t train = 0;
    std::int64_t validation = 0;
    std::int64_t test = 0;
};

/// The splits that a spec asks for of a dataset with as many examples as info says. Throws DataError that
/// names the field that asks for more than there are.
SplitSizes split_sizes(const DatasetSpec& spec, const DatasetInfo& info);

/// Reads or generates a dataset and cuts it as the spec asks. data_folder holds one folder per dataset.
/// cache: keep the examples' bytes in memory (once, shared by all splits); otherwise they are read, or drawn,
/// each time they are needed. Throws MissingFileError or DataError that names the file or field and what to
/// do.
DataSplits load_dataset(const DatasetSpec& spec, const std::filesystem::path& data_folder, std::uint64_t seed,
                        bool cache);

}  // namespace convoy
