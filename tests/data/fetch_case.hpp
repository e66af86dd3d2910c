#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "data/fetch.hpp"
#include "data/http_server.hpp"
#include "data/temporary_folder.hpp"

namespace convoy::test {

inline std::string some_bytes(std::size_t count) {
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(i * i % 253);
    return bytes;
}

inline const std::string served_content = some_bytes(100'000);
inline const std::map<std::string, ServedFile> no_files;

/// A file that is to be fetched from some of a server's paths, as if its size were published or not.
struct FetchCase {
    explicit FetchCase(std::map<std::string, ServedFile> files, std::vector<std::string> paths = {"/a"},
                       bool sized = true)
        : FetchCase(std::make_unique<HttpServer>(std::move(files)), paths, sized) {}
    explicit FetchCase(HttpServer::Handler handler, bool sized = true)
        : FetchCase(std::make_unique<HttpServer>(std::move(handler)), {"/a"}, sized) {}
    FetchCase(std::unique_ptr<HttpServer> own, const std::vector<std::string>& paths, bool sized)
        : owned(std::move(own)), server(*owned) {
        options.pause = [this](Seconds length) { pauses.push_back(length.count()); };
        options.patience = Seconds(0);
        file.name = "a.gz";
        file.identity.digest = {HashKind::sha256, sha256(served_content)};
        if (sized) file.identity.bytes = served_content.size();
        for (const auto& path : paths) file.mirrors.push_back(server.address(path));
    }

    FetchOutcome fetch() { return fetch_file(file, folder.path() / "set", options); }
    [[nodiscard]] std::filesystem::path target() const { return folder.path() / "set" / "a.gz"; }
    [[nodiscard]] std::filesystem::path part() const { return folder.path() / "set" / "a.gz.part"; }
    [[nodiscard]] bool clean() const { return !exists(part()) && read_text(target()) == served_content; }
    [[nodiscard]] bool nothing_left() const { return !exists(part()) && !exists(target()); }

    EnvironmentVariable no_proxy{"no_proxy", "*"};
    TemporaryFolder folder;
    std::unique_ptr<HttpServer> owned;
    HttpServer& server;
    ManifestFile file;
    FetchOptions options;
    std::vector<double> pauses = {};  ///< in seconds
};

/// Answers each request as the next of these says; the last of them also the others.
inline HttpServer::Handler in_turn(std::vector<HttpServer::Handler> handlers) {
    return [handlers = std::move(handlers), next = std::size_t{0}](const HttpRequest& request) mutable {
        const auto which = std::min(next++, handlers.size() - 1);
        return handlers[which](request);
    };
}

inline HttpServer::Handler always(const std::string& status, const std::string& fields = {}) {
    return [=](const HttpRequest&) -> HttpAnswer { return {http_answer(status, "no", fields)}; };
}

inline HttpServer::Handler serves(const ServedFile& file) {
    return [=](const HttpRequest& request) -> HttpAnswer { return {file_answer(file, request)}; };
}

}  // namespace convoy::test
