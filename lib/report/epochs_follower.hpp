#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "report/run_record.hpp"

namespace convoy {

/// Reads an epochs.csv that grows, or that another takes the place of: at each look only what is new, in
/// pieces, so that neither time nor memory grow with the epochs before.
class EpochsFollower {
  public:
    /// Calls `take` with each epoch in the file that is later than those before. Part of a row at the end of
    /// the file is left for the next look. A file that is not there has none. Throws DataError if a row is
    /// not in convoy's format.
    void look(const std::filesystem::path& file, const std::function<void(const EpochRecord&)>& take);

  private:
    dev_t device_ = 0;
    ino_t inode_ = 0;
    std::uint64_t read_ = 0;  ///< bytes of whole rows, with the header
    std::string header_;      ///< the first line
    std::int64_t last_epoch_ = 0;
};

}  // namespace convoy
