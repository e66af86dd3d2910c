#include "base/open_to_read.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <ext/stdio_filebuf.h>

#include <cerrno>
#include <cstring>
#include <ios>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/open_at_once.hpp"

namespace convoy {
namespace {

using FileBuffer = __gnu_cxx::stdio_filebuf<char>;

/// The result of read(), whose errors name the file.
template <typename Read>
auto naming(const std::string& file, const Read& read) {
    try {
        return read();
    } catch (const std::ios_base::failure& problem) {
        throw DataError(fmt::format("{}: cannot be read: {}", file, problem.code().message()));
    }
}

class NamedFileBuffer final : public FileBuffer {
  public:
    NamedFileBuffer(Descriptor opened, std::string name)
        : FileBuffer(opened.release(), std::ios::in | std::ios::binary), name_(std::move(name)) {}

  protected:
    int_type underflow() override {
        return naming(name_, [this] { return FileBuffer::underflow(); });
    }
    std::streamsize xsgetn(char* into, std::streamsize count) override {
        return naming(name_, [&] { return FileBuffer::xsgetn(into, count); });
    }

  private:
    std::string name_;
};

class FileStream final : public std::istream {
  public:
    explicit FileStream(const std::filesystem::path& file)
        : std::istream(nullptr), buffer_(open_to_read(file, FileKinds::regular), file.string()) {
        rdbuf(&buffer_);
    }

  private:
    NamedFileBuffer buffer_;
};

}  // namespace

Descriptor open_to_read(const std::filesystem::path& file, FileKinds accepted) {
    auto opened = open_at_once(file, O_RDONLY | O_NOCTTY);
    struct stat status {};
    if (opened.get() < 0 || ::fstat(opened.get(), &status) != 0)
        throw MissingFileError(fmt::format("{}: {}", file.string(), std::strerror(errno)));
    if (S_ISDIR(status.st_mode))
        throw MissingFileError(fmt::format("{}: is a folder, not a file", file.string()));
    if (accepted == FileKinds::regular && !S_ISREG(status.st_mode))
        throw MissingFileError(fmt::format("{}: is not a regular file", file.string()));
    return opened;
}

std::unique_ptr<std::istream> open_stream(const std::filesystem::path& file) {
    return std::make_unique<FileStream>(file);
}

}  // namespace convoy
