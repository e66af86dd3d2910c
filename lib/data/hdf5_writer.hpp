#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/dataset.hpp"

namespace convoy {

/// How the values of a new HDF5 file are kept.
struct Hdf5Storage {
    int chunk_examples = 32;  ///< examples of a chunk
    int deflate = 4;          ///< level of the compression, from 1 (fast) to 9 (small); 0: none
};

/// Writes labelled datasets into one HDF5 file, which has the name FILE.new until it is whole.
class Hdf5Writer {
  public:
    /// Throws OutputError.
    Hdf5Writer(std::filesystem::path file, const Hdf5Storage& storage);
    Hdf5Writer(const Hdf5Writer&) = delete;
    Hdf5Writer& operator=(const Hdf5Writer&) = delete;
    Hdf5Writer(Hdf5Writer&&) = delete;
    Hdf5Writer& operator=(Hdf5Writer&&) = delete;
    ~Hdf5Writer();

    /// Adds /SPLIT/INPUT (N,C,H,W) of 32-bit floats for each input, as a network reads it; /SPLIT/labels (N)
    /// of 32-bit integers; and where labels are bins of a quantity /SPLIT/QUANTITY (N) of doubles, its true
    /// values. Returns the names. Throws OutputError, UsageError if a chunk has more than 1 GiB, and the
    /// errors of Dataset::read.
    std::vector<std::string> add(const Dataset& dataset, const std::string& split);
    /// Gives the file its name, once its content is on disk. Throws OutputError.
    void finish();

  private:
    struct Opened;  ///< the library's file

    std::filesystem::path file_;
    Hdf5Storage storage_;
    std::unique_ptr<Opened> opened_;
    bool is_published_ = false;
};

}  // namespace convoy
