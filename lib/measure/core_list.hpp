#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace convoy {

/// Cores of a machine, by the kernel's numbers, from 0.
class CoreList {
  public:
    static constexpr std::int64_t most_cores = 8192;  ///< Linux knows no more

    /// The cores that the scheduler may give to this process. Absent if the system does not tell.
    static std::optional<CoreList> of_process();
    /// Reads the kernel's list format, in ascending order. Absent if the text is no such list.
    static std::optional<CoreList> parse(std::string_view text);

    /// In the kernel's list format, as in "0-3,8"; "" for no core.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(cores_.size()); }
    /// Whether all cores of another list of the same machine are in this one.
    [[nodiscard]] bool contains(const CoreList& other) const {
        return std::ranges::includes(cores_, other.cores_);
    }
    /// Adds the cores of another list of the same machine.
    void add(const CoreList& other) { cores_.insert(other.cores_.begin(), other.cores_.end()); }
    bool operator==(const CoreList&) const = default;

  private:
    std::set<std::int64_t> cores_;
};

/// The number of cores that the scheduler may give to this process: fewer than the machine has if an affinity
/// is set. list: of_process().
std::int64_t usable_cores(const std::optional<CoreList>& list = CoreList::of_process());

}  // namespace convoy
