#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

namespace convoy::fuzz {

/// A folder of this process, removed with all that is in it.
class Folder {
  public:
    explicit Folder(const std::string& name)
        : path_(std::filesystem::temp_directory_path() / (name + "-" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(path_);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    Folder(Folder&&) = delete;
    Folder& operator=(Folder&&) = delete;
    ~Folder() { std::filesystem::remove_all(path_); }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

inline std::string_view text_of_input(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

inline void write(const std::filesystem::path& file, std::string_view content) {
    std::ofstream(file, std::ios::binary) << content;
}

/// Writes an input that holds several files: each begins behind a line of '@' and its name, and ends in front
/// of the next such line. Only files with these names are written; their folders are there. A file that the
/// input does not have is removed.
inline void write_files(std::string_view input, const std::filesystem::path& folder,
                        std::span<const std::string_view> names) {
    for (const auto name : names) {
        const auto begin = "@" + std::string(name) + "\n";
        const auto at = input.find(begin);
        if (at == std::string_view::npos) {
            std::filesystem::remove(folder / name);
            continue;
        }
        const auto content = input.substr(at + begin.size());
        const auto end = content.find("\n@");
        write(folder / name, content.substr(0, end == std::string_view::npos ? end : end + 1));
    }
}

}  // namespace convoy::fuzz
