#include "data/fetch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "data/download.hpp"

namespace convoy {
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most_bytes_of_unknown_size = std::uint64_t{1} << 32U;
constexpr int most_rounds = 5;  // over all mirrors, as long as each gets further

/// One file on its way, over all mirrors.
class Fetch {
  public:
    Fetch(const ManifestFile& file, const fs::path& folder, const FetchOptions& options)
        : file_(file),
          options_(options),
          target_(folder / file.name),
          part_(target_),
          mirrors_(file.mirrors) {}

    void run() {
        // An earlier run may have ended between the last byte and the file's name.
        std::string incomplete;
        if (part_.size() > 0 && publish_if_intact(incomplete)) return;
        for (int round = 0; round < most_rounds && !mirrors_.empty(); ++round) {
            const auto before = part_.size();
            problems_.clear();
            const auto mirrors = mirrors_;
            for (const auto& mirror : mirrors) {
                if (try_mirror(mirror)) return;
            }
            if (part_.size() <= before) break;
        }
        give_up();
    }

  private:
    /// True once the file is whole and has its name. A mirror that sends something else is not asked again.
    bool try_mirror(const std::string& mirror) {
        const bool resumed = part_.size() > 0;
        auto result = get(mirror);
        if (result.state == TransferState::no_resume && resumed) {
            part_.clear();
            return try_mirror(mirror);
        }
        if (result.state == TransferState::broken || result.state == TransferState::no_resume) {
            problems_.push_back(fmt::format("{}: {}", mirror, result.problem));
            return false;
        }
        if (result.state == TransferState::complete && publish_if_intact(result.problem)) return true;
        part_.clear();
        // What was there before may have been at fault, not this mirror.
        if (resumed) return try_mirror(mirror);
        wrong_.push_back(fmt::format("{}: {}", mirror, result.problem));
        std::erase(mirrors_, mirror);
        return false;
    }

    /// Says in problem what is wrong otherwise.
    bool publish_if_intact(std::string& problem) {
        const auto check = check_file(part_.path(), file_.identity);
        if (check.state == FileState::intact) part_.publish();
        problem = check.detail;
        return check.state == FileState::intact;
    }

    TransferResult get(const std::string& mirror) {
        const auto tell = [this](std::uint64_t bytes) {
            if (options_.progress) options_.progress({file_.name, bytes, file_.identity.bytes});
        };
        return transfer(
            {mirror, file_.identity.bytes.value_or(most_bytes_of_unknown_size), options_.stalled, tell},
            part_);
    }

    [[noreturn]] void give_up() const {
        if (!wrong_.empty()) {
            throw DataError(
                fmt::format("{}: refused, as it is not the file that was published ({}); try again later, or "
                            "put the file there by hand",
                            target_.string(), fmt::join(wrong_, "; ")));
        }
        throw MissingFileError(
            fmt::format("{}: could not be fetched ({}); {} bytes are kept: run the command again to go "
                        "on, or put the file there by hand",
                        target_.string(), fmt::join(problems_, "; "), part_.size()));
    }

    const ManifestFile& file_;
    const FetchOptions& options_;
    fs::path target_;
    PartFile part_;
    std::vector<std::string> mirrors_;           // that may still help
    std::vector<std::string> problems_, wrong_;  // of the last round; of mirrors that were given up for good
};

}  // namespace

FetchOutcome fetch_file(const ManifestFile& file, const fs::path& folder, const FetchOptions& options) {
    std::error_code problem;
    fs::create_directories(folder, problem);
    if (problem)
        throw OutputError(fmt::format("{}: cannot be created: {}", folder.string(), problem.message()));
    if (check_file(folder / file.name, file.identity).state == FileState::intact)
        return FetchOutcome::already_there;
    Fetch(file, folder, options).run();
    return FetchOutcome::fetched;
}

}  // namespace convoy
