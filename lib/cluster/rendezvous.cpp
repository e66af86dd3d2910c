#include "cluster/rendezvous.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/make_folder.hpp"

namespace convoy {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t most_bytes = 4096;

[[noreturn]] void fail_to_write(const fs::path& file) {
    throw OutputError(fmt::format("{}: cannot be written: {}", file.string(), std::strerror(errno)));
}

/// A file on a file server is only seen soon if its folder is looked at, and not only its name.
void look_at_folder(const fs::path& file) {
    const Descriptor folder(::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

void require_own(const Descriptor& open, const fs::path& file) {
    struct stat state {};
    const bool is_known = ::fstat(open.get(), &state) == 0 && S_ISREG(state.st_mode);
    if (!is_known || state.st_uid != ::geteuid() || (state.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        throw UsageError(
            fmt::format("{}: is not a file that this user alone reads and writes; remove it, or give "
                        "--rendezvous another folder",
                        file.string()));
}

Rendezvous parse_rendezvous(const std::string& text, const fs::path& file) {
    try {
        const auto content = parse_json(text, file.string());
        return {.endpoint = content.at("endpoint").get<std::string>(),
                .token = content.at("token").get<std::string>()};
    } catch (const std::exception&) {
        throw DataError(fmt::format("{}: is no file that says how to join a run; remove it", file.string()));
    }
}

}  // namespace

RendezvousFile::RendezvousFile(fs::path file) : file_(std::move(file)) {
    make_folder(file_.parent_path());
    if (::unlink(file_.c_str()) != 0 && errno != ENOENT)
        throw OutputError(fmt::format("{}: cannot be removed: {}", file_.string(), std::strerror(errno)));
}

RendezvousFile::~RendezvousFile() {
    try {
        if (published_ && read_rendezvous(file_) == published_) ::unlink(file_.c_str());
    } catch (const Error&) {
        return;  // it is another's
    }
}

void RendezvousFile::publish(const Rendezvous& rendezvous) {
    published_ = rendezvous;
    auto name = file_.string() + ".XXXXXX";
    const Descriptor open(::mkostemp(name.data(), O_CLOEXEC));  // with mode 0600
    if (open.get() < 0) fail_to_write(file_);
    const auto text =
        nlohmann::json{{"endpoint", rendezvous.endpoint}, {"token", rendezvous.token}}.dump() + "\n";
    const bool is_written =
        ::write(open.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        ::fsync(open.get()) == 0 && ::rename(name.c_str(), file_.c_str()) == 0;
    if (is_written) return;
    const int reason = errno;
    ::unlink(name.c_str());
    errno = reason;
    fail_to_write(file_);
}

std::string rendezvous_file_name(const std::string& world_name) {
    return "convoy-" + world_name + ".rendezvous";
}

std::optional<Rendezvous> read_rendezvous(const fs::path& file) {
    const Descriptor open(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    // ESTALE: on a file server, the file of this name was replaced just now.
    if (open.get() < 0 && (errno == ENOENT || errno == ESTALE)) return std::nullopt;
    if (open.get() < 0)
        throw UsageError(fmt::format("{}: cannot be opened: {}", file.string(), std::strerror(errno)));
    require_own(open, file);
    std::array<char, most_bytes> bytes{};
    const auto count = ::read(open.get(), bytes.data(), bytes.size());
    if (count < 0) return std::nullopt;
    return parse_rendezvous(std::string(bytes.data(), static_cast<std::size_t>(count)), file);
}

Rendezvous await_rendezvous(const fs::path& file, std::chrono::milliseconds patience) {
    constexpr auto longest_pause = 500ms;
    const auto deadline = Clock::now() + patience;
    for (auto pause = 10ms;; pause = std::min(2 * pause, std::chrono::milliseconds(longest_pause))) {
        look_at_folder(file);
        if (auto found = read_rendezvous(file)) return *std::move(found);
        if (Clock::now() + pause > deadline)
            throw ClusterError(fmt::format(
                "{}: process 0 did not say there within {} s how to join; is the folder shared by all hosts "
                "(--rendezvous DIR), and did process 0 fail?",
                file.string(), std::chrono::duration_cast<std::chrono::seconds>(patience).count()));
        std::this_thread::sleep_for(pause);
    }
}

}  // namespace convoy
