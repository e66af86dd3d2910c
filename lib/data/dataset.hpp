#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/label_scale.hpp"
#include "data/example_values.hpp"
#include "spec/experiment_spec.hpp"
#include "tensor/example_shape.hpp"

namespace convoy {

/// The parts of a dataset's examples that a node needs.
struct DataWanted {
    bool values = true;
    bool labels = true;
    bool operator==(const DataWanted&) const = default;
};

/// Labelled examples of one shape, with one or several inputs. It is a value: copies and slices share the
/// examples, which never change. Values or labels may be absent, if the node does not need them.
class Dataset {
  public:
    /// labels: one for each example of `values`, each in [0, classes). values: null if they are absent.
    /// file_sizes: the number of examples in each file, in the order of the examples; empty: one file has all
    /// examples.
    Dataset(ExampleShape shape, std::int64_t classes, std::vector<std::int32_t> labels,
            std::shared_ptr<const ExampleValues> values, std::span<const std::int64_t> file_sizes = {});
    /// Makes a dataset without labels. examples: the number of examples of `values`.
    static Dataset unlabelled(ExampleShape shape, std::int64_t classes, std::int64_t examples,
                              std::shared_ptr<const ExampleValues> values,
                              std::span<const std::int64_t> file_sizes = {});

    [[nodiscard]] const ExampleShape& example_shape() const { return shape_; }
    [[nodiscard]] std::int64_t classes() const { return classes_; }
    [[nodiscard]] std::int64_t size() const { return count_; }
    [[nodiscard]] bool has_values() const { return values_ != nullptr; }
    [[nodiscard]] bool has_labels() const { return labels_ != nullptr; }
    /// Label of each example, valid as long as a copy of this dataset lives. Empty if labels are absent.
    [[nodiscard]] std::span<const std::int32_t> labels() const;

    /// The quantity whose bins the labels are; absent: they are names of classes.
    [[nodiscard]] const std::optional<LabelScale>& label_scale() const { return scale_; }
    /// The true value of the quantity: a known one, or else the centre of the label's bin. Throws
    /// InternalError if there is no scale, or neither value nor label.
    [[nodiscard]] double quantity(std::uint32_t example) const;
    /// The same examples with a scale. quantities: the true value for each example; empty: none is known.
    [[nodiscard]] Dataset with_scale(LabelScale scale, std::vector<double> quantities = {}) const;

    /// Writes one example, normalised, into `into`. Its inputs lie side by side as in example_shape().
    /// Several threads may call it; it allocates no memory. Throws DataError if the example cannot be read
    /// from its file, and InternalError if values are absent.
    void read(std::uint32_t example, std::span<float> into) const;

    /// Whether read() decodes rows of a file each time.
    [[nodiscard]] bool decodes() const { return has_values() && values_->decodes(); }

    /// mean: the mean of each value over all examples. without_mean: the same examples, with this mean
    /// subtracted.
    [[nodiscard]] std::vector<float> mean() const;
    [[nodiscard]] Dataset without_mean(const std::vector<float>& mean) const;

    /// The same examples, converted once to floats: now, or each example when it is first read. It changes
    /// nothing if values are absent. Throws OutputError if there is no room for them, and the errors of read.
    [[nodiscard]] Dataset prepared(Prepare when, PreparedStore place) const;

    /// The examples [first, first + count). In the result, they are numbered from 0.
    [[nodiscard]] Dataset slice(std::int64_t first, std::int64_t count) const;

    /// The same examples, without the parts that are not wanted.
    [[nodiscard]] Dataset only(const DataWanted& wanted) const;

    /// The examples of these numbers, in this order.
    [[nodiscard]] Dataset select(std::vector<std::uint32_t> examples) const;

    /// The length of each sequence of consecutive examples from one file, in order.
    [[nodiscard]] std::vector<std::int64_t> file_sizes() const;
    /// The same examples, in the order of interleaved_order.
    [[nodiscard]] Dataset interleaved(const InterleaveSpec& spec) const;

  private:
    using Labels = std::vector<std::int32_t>;
    Dataset(ExampleShape shape, std::int64_t classes, std::int64_t examples,
            std::shared_ptr<const Labels> labels, std::shared_ptr<const ExampleValues> values,
            std::span<const std::int64_t> file_sizes);

    ExampleShape shape_;
    std::int64_t classes_;
    std::int64_t first_ = 0, count_;
    std::shared_ptr<const Labels> labels_;         // null: absent
    std::shared_ptr<const ExampleValues> values_;  // null: absent
    std::optional<LabelScale> scale_ = {};
    std::shared_ptr<const std::vector<double>> quantities_ = nullptr;  // null: not known
    std::vector<std::int64_t>
        file_ends_;  // behind the last example of each file, counted from 0, not from first_
};

/// The splits of a dataset for an experiment.
struct DataSplits {
    Dataset train;
    std::optional<Dataset> validation;  ///< the last training examples, if validation_fraction asks for them
    Dataset test;
};

/// The properties of a dataset that are known before its examples are read.
struct DatasetInfo {
    std::string name;
    ExampleShape example_shape;
    std::int64_t classes;
    std::int64_t train_examples, test_examples;  ///< used if the spec gives no number
    bool generated;                              ///< convoy draws the examples; there is nothing to download
    /// The bytes of the values of one example that is kept in memory; absent: one for each value.
    std::optional<std::int64_t> example_bytes = {};
};

/// All datasets that convoy knows by name. Other datasets are NPY files of the user.
std::span<const DatasetInfo> known_datasets();

/// The info of a known dataset. Throws a DataError that names the field and all known datasets.
const DatasetInfo& dataset_info(std::string_view name);

/// The info of a spec's dataset. For NPY files it reads their headers and labels; relative paths are in
/// data_folder, and files from addresses must be in the cache (fetch_dataset). For IDX files it counts the
/// examples by the headers, or takes the published counts if no file is there. Throws MissingFileError, or a
/// DataError that names the file or field.
DatasetInfo dataset_info(const DatasetSpec& spec, const std::filesystem::path& data_folder);

/// The number of examples in each split of an experiment.
struct SplitSizes {
    std::int64_t train = 0;
    std::int64_t validation = 0;
    std::int64_t test = 0;
};

/// The sizes of the splits of a spec, for a dataset with the numbers of examples in `info`. Throws a
/// DataError that names the field that asks for too many examples.
SplitSizes split_sizes(const DatasetSpec& spec, const DatasetInfo& info);

/// Reads or draws a dataset and cuts it into the splits of the spec. data_folder: has one folder for each
/// dataset; files from addresses must be in the cache (fetch_dataset). cache: keep the bytes of the examples
/// in memory (once, shared by all splits); otherwise they are read or drawn each time they are needed.
/// wanted: other parts of the examples are not kept, and are not read if they have files of their own. Throws
/// MissingFileError or DataError, which name the file or field and the remedy.
DataSplits load_dataset(const DatasetSpec& spec, const std::filesystem::path& data_folder, std::uint64_t seed,
                        bool cache, const DataWanted& wanted = {});

}  // namespace convoy
