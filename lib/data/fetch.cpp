#include "data/fetch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "data/download.hpp"

namespace convoy {
namespace fs = std::filesystem;

namespace {

constexpr int most_rounds = 200;  // over all mirrors, as long as each gets further
constexpr int most_fruitless_rounds = 6;
constexpr Seconds first_pause{1}, longest_pause{30};

/// A delegation token of Hadoop, for the request's address.
std::string webhdfs_token() {
    const char* value = std::getenv("CONVOY_WEBHDFS_TOKEN");  // NOLINT(concurrency-mt-unsafe): as elsewhere
    std::string token = value == nullptr ? "" : value;
    const bool is_plain = std::ranges::all_of(
        token, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '='; });
    if (!is_plain) throw DataError("CONVOY_WEBHDFS_TOKEN: expected letters, digits, '-', '_' and '='");
    return token;
}

/// A place that has the file, and may still help.
struct Mirror {
    DataAddress address;
    FileVersion version = {};  ///< the one that it has
};

/// One file on its way, over all mirrors.
class Fetch {
  public:
    /// identity: absent if any file will do. target must outlive this object, and so must the others.
    Fetch(std::vector<DataAddress> mirrors, const std::optional<FileIdentity>& identity, fs::path target,
          const FetchOptions& options)
        : identity_(identity),
          options_(options),
          target_(std::move(target)),
          token_(webhdfs_token()),
          part_(target_, [this](std::uint64_t bytes) { return waits_on(bytes); }) {
        for (auto& mirror : mirrors) mirrors_.push_back({std::move(mirror)});
    }

    /// Whether another process has put the whole file there meanwhile.
    [[nodiscard]] bool is_done() const {
        return has_waited_ && identity_ && check_file(target_, *identity_).state == FileState::intact;
    }

    void run() {
        // An earlier run may have ended between the last byte and the file's name.
        std::string incomplete;
        if (identity_ && part_.size() > 0 && publish_if_intact(incomplete)) return;
        if (!identity_) part_.clear();
        int fruitless = 0;
        for (int round = 1;; ++round) {
            const auto before = part_.size();
            if (ask_all_mirrors()) return;
            fruitless = part_.size() > before ? 0 : fruitless + 1;
            if (mirrors_.empty() || fruitless == most_fruitless_rounds || round == most_rounds) give_up();
            pause(fruitless);
        }
    }

  private:
    bool waits_on(std::uint64_t bytes) {
        if (!has_waited_ || bytes != others_bytes_) others_progress_at_ = Clock::now();
        has_waited_ = true;
        others_bytes_ = bytes;
        tell(bytes);
        return Seconds(Clock::now() - others_progress_at_) < options_.patience;
    }

    void tell(std::uint64_t bytes) const {
        if (options_.progress) options_.progress({target_.filename().string(), bytes, total_});
    }

    bool ask_all_mirrors() {
        problems_.clear();
        for (std::size_t i = 0; i < mirrors_.size();) {
            const auto before = mirrors_.size();
            if (ask(i)) return true;
            if (mirrors_.size() == before) ++i;
        }
        return false;
    }

    /// True once the file is whole and has its name. A mirror that does not have the file is not asked again.
    bool ask(std::size_t which) {
        auto& mirror = mirrors_[which];
        const bool resumed = part_.size() > 0;
        auto result = get(mirror);
        // An offset behind the end of a file is an error of WebHDFS like others.
        const bool no_such_offset =
            result.state == TransferState::refused && mirror.address.has_offset_in_address();
        if (resumed && (result.state == TransferState::no_resume || no_such_offset)) {
            part_.clear();
            return ask(which);
        }
        const auto line = [&] { return fmt::format("{}: {}", mirror.address.shown(), result.problem); };
        if (result.state == TransferState::broken || result.state == TransferState::no_resume) {
            problems_.push_back(line());
            return false;
        }
        if (result.state == TransferState::refused) {
            refused_.push_back(line());
            mirrors_.erase(mirrors_.begin() + static_cast<std::ptrdiff_t>(which));
            return false;
        }
        if (result.state == TransferState::complete && publish_if_intact(result.problem)) return true;
        part_.clear();
        // What was there before may have been at fault, not this mirror.
        if (resumed) return ask(which);
        wrong_.push_back(line());
        mirrors_.erase(mirrors_.begin() + static_cast<std::ptrdiff_t>(which));
        return false;
    }

    /// Says in problem what is wrong otherwise.
    bool publish_if_intact(std::string& problem) {
        if (identity_) {
            const auto check = check_file(part_.path(), *identity_);
            problem = check.detail;
            if (check.state != FileState::intact) return false;
        }
        part_.publish();
        return true;
    }

    TransferResult get(Mirror& mirror) {
        if (part_.size() == 0) mirror.version = {};
        const auto& address = mirror.address;
        const bool in_address = address.has_offset_in_address();
        const auto token = in_address ? token_ : std::string();
        return transfer({.address = address.request(in_address ? part_.size() : 0, token),
                         .begins_at_part = in_address,
                         .bytes = identity_ ? identity_->bytes : std::nullopt,
                         .stalled = options_.stalled,
                         .progress = [this](std::uint64_t bytes) { tell(bytes); },
                         .announced = [this](std::uint64_t total) { require_room(total); }},
                        mirror.version, part_);
    }

    void require_room(std::uint64_t total) {
        total_ = total;
        const auto folder = fs::absolute(target_).parent_path();
        std::error_code problem;
        const auto space = fs::space(folder, problem);
        const auto missing = total - std::min(total, part_.size());
        if (problem || space.available >= missing) return;
        throw OutputError(fmt::format("{}: no room for {} bytes of {}: {} are free", folder.string(), missing,
                                      target_.filename().string(), space.available));
    }

    void pause(int fruitless) const {
        if (fruitless == 0) return;
        auto length = first_pause;
        for (int i = 1; i < fruitless; ++i) length = std::min(2 * length, longest_pause);
        if (options_.pause) return options_.pause(length);
        constexpr Seconds between_signs_of_life{0.5};
        for (auto left = length; left > Seconds(0); left -= between_signs_of_life) {
            tell(part_.size());
            std::this_thread::sleep_for(std::min(left, between_signs_of_life));
        }
    }

    [[noreturn]] void give_up() const {
        auto problems = problems_;
        problems.insert(problems.end(), refused_.begin(), refused_.end());
        if (!wrong_.empty()) {
            problems.insert(problems.begin(), wrong_.begin(), wrong_.end());
            throw DataError(
                fmt::format("{}: refused, as it is not the file that was published ({}); try again later, or "
                            "put the file there by hand",
                            target_.string(), fmt::join(problems, "; ")));
        }
        throw MissingFileError(
            fmt::format("{}: could not be fetched ({}); {} bytes are kept: run the command again to go "
                        "on, or put the file there by hand",
                        target_.string(), fmt::join(problems, "; "), part_.size()));
    }

    const std::optional<FileIdentity>& identity_;
    const FetchOptions& options_;
    fs::path target_;
    std::string token_;
    bool has_waited_ = false;  ///< for another process, which had so many bytes
    std::uint64_t others_bytes_ = 0;
    TimePoint others_progress_at_;
    std::optional<std::uint64_t> total_ = identity_ ? identity_->bytes : std::nullopt;
    PartFile part_;
    std::vector<Mirror> mirrors_;                          // that may still help
    std::vector<std::string> problems_, refused_, wrong_;  // of the last round; of mirrors given up for good
};

void make_folders(const fs::path& folder) {
    std::error_code problem;
    fs::create_directories(folder, problem);
    if (problem)
        throw OutputError(fmt::format("{}: cannot be created: {}", folder.string(), problem.message()));
}

}  // namespace

FetchOutcome fetch_file(const ManifestFile& file, const fs::path& folder, const FetchOptions& options) {
    const auto target = folder / file.name;
    if (check_file(target, file.identity).state == FileState::intact) return FetchOutcome::already_there;
    make_folders(folder);
    const std::optional<FileIdentity> identity = file.identity;
    std::vector<DataAddress> mirrors;
    for (const auto& mirror : file.mirrors) mirrors.emplace_back(mirror);
    Fetch fetch(std::move(mirrors), identity, target, options);
    if (fetch.is_done()) return FetchOutcome::already_there;
    fetch.run();
    return FetchOutcome::fetched;
}

FileIdentity fetch_unknown(const DataAddress& address, const fs::path& target, const FetchOptions& options) {
    make_folders(fs::absolute(target).parent_path());
    const std::optional<FileIdentity> unknown;
    Fetch(std::vector<DataAddress>{address}, unknown, target, options).run();
    return {.bytes = fs::file_size(target), .digest = digest_of_file(target, HashKind::sha256)};
}

}  // namespace convoy
