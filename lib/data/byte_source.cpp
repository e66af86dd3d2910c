#include "data/byte_source.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/open_to_read.hpp"

namespace convoy {
namespace {

class FileSource final : public ByteSource {
  public:
    explicit FileSource(const std::filesystem::path& file) : file_(file) {}
    [[nodiscard]] const std::string& name() const override { return file_.name(); }
    [[nodiscard]] std::uint64_t most_bytes() const override { return file_.size(); }
    std::size_t read(std::span<std::uint8_t> into) override {
        const auto count = file_.read_at(offset_, into);
        offset_ += count;
        return count;
    }

  private:
    ReadOnlyFile file_;
    std::uint64_t offset_ = 0;
};

class MemorySource final : public ByteSource {
  public:
    MemorySource(std::string name, std::span<const std::uint8_t> bytes)
        : name_(std::move(name)), size_(bytes.size()), left_(bytes) {}
    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] std::uint64_t most_bytes() const override { return size_; }
    std::size_t read(std::span<std::uint8_t> into) override {
        const auto count = std::min(into.size(), left_.size());
        std::copy_n(left_.begin(), count, into.begin());
        left_ = left_.subspan(count);
        return count;
    }

  private:
    std::string name_;
    std::size_t size_;
    std::span<const std::uint8_t> left_;
};

class GzipSource final : public ByteSource {
  public:
    explicit GzipSource(std::unique_ptr<ByteSource> compressed) : compressed_(std::move(compressed)) {
        constexpr int gzip_only = 16;  // added to the window bits: a gzip header and checksum are required
        if (::inflateInit2(&stream_, MAX_WBITS + gzip_only) != Z_OK) throw InternalError("zlib cannot start");
    }
    GzipSource(const GzipSource&) = delete;
    GzipSource& operator=(const GzipSource&) = delete;
    GzipSource(GzipSource&&) = delete;
    GzipSource& operator=(GzipSource&&) = delete;
    ~GzipSource() override { ::inflateEnd(&stream_); }

    [[nodiscard]] const std::string& name() const override { return compressed_->name(); }
    [[nodiscard]] std::uint64_t most_bytes() const override {
        constexpr std::uint64_t best_ratio = 1032;  // of deflate: https://zlib.net/zlib_tech.html
        return compressed_->most_bytes() * best_ratio;
    }

    std::size_t read(std::span<std::uint8_t> into) override {
        std::size_t count = 0;
        while (count < into.size() && !ended_) count += inflate_some(into.subspan(count));
        return count;
    }

  private:
    std::size_t inflate_some(std::span<std::uint8_t> into) {
        if (stream_.avail_in == 0) refill();
        const auto room = std::min<std::size_t>(into.size(), std::numeric_limits<uInt>::max());
        stream_.next_out = into.data();
        stream_.avail_out = static_cast<uInt>(room);
        const int state = ::inflate(&stream_, Z_NO_FLUSH);
        if (state == Z_STREAM_END) {
            end();
        } else if (state != Z_OK) {
            fail(stream_.msg != nullptr ? stream_.msg : "cannot be inflated");
        }
        return room - stream_.avail_out;
    }

    void refill() {
        const auto count = compressed_->read(piece_);
        if (count == 0) fail("it ends before its end mark: the file is truncated");
        stream_.next_in = piece_.data();
        stream_.avail_in = static_cast<uInt>(count);
    }

    void end() {
        ended_ = true;
        std::array<std::uint8_t, 1> more{};
        if (stream_.avail_in > 0 || compressed_->read(more) > 0) fail("other bytes follow its end");
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw DataError(fmt::format("{}: damaged gzip file: {}", name(), what));
    }

    std::unique_ptr<ByteSource> compressed_;
    z_stream stream_{};
    std::array<std::uint8_t, std::size_t{1} << 16U> piece_{};
    bool ended_ = false;
};

}  // namespace

ReadOnlyFile::ReadOnlyFile(const std::filesystem::path& file)
    : name_(file.string()), opened_(open_to_read(file, FileKinds::regular)) {
    struct stat status {};
    if (::fstat(opened_.get(), &status) != 0)
        throw MissingFileError(fmt::format("{}: {}", name_, std::strerror(errno)));
    size_ = static_cast<std::uint64_t>(status.st_size);
}

std::size_t ReadOnlyFile::read_at(std::uint64_t offset, std::span<std::uint8_t> into) const {
    std::size_t count = 0;
    while (count < into.size()) {
        const auto got = ::pread(opened_.get(), into.data() + count, into.size() - count,
                                 static_cast<off_t>(offset + count));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw DataError(fmt::format("{}: cannot be read: {}", name_, std::strerror(errno)));
        if (got == 0) break;
        count += static_cast<std::size_t>(got);
    }
    return count;
}

void read_exactly(ByteSource& source, std::span<std::uint8_t> into, std::string_view what) {
    const auto count = source.read(into);
    if (count == into.size()) return;
    throw DataError(fmt::format("{}: truncated: {} of the {} bytes of its {} are there", source.name(), count,
                                into.size(), what));
}

bool is_there(const std::filesystem::path& file) {
    std::error_code problem;
    return std::filesystem::exists(file, problem);
}

std::optional<std::filesystem::path> existing_form(const std::filesystem::path& file) {
    auto packed = file;
    packed += ".gz";
    for (const auto& form : {file, packed})
        if (is_there(form)) return form;
    return std::nullopt;
}

bool is_gzip(const std::filesystem::path& file) {
    return file.extension() == ".gz";
}

std::unique_ptr<ByteSource> file_source(const std::filesystem::path& file) {
    return std::make_unique<FileSource>(file);
}

std::unique_ptr<ByteSource> memory_source(std::string name, std::span<const std::uint8_t> bytes) {
    return std::make_unique<MemorySource>(std::move(name), bytes);
}

std::unique_ptr<ByteSource> gzip_source(std::unique_ptr<ByteSource> compressed) {
    return std::make_unique<GzipSource>(std::move(compressed));
}

std::unique_ptr<ByteSource> inflated_file(const std::filesystem::path& file) {
    auto source = file_source(file);
    return is_gzip(file) ? gzip_source(std::move(source)) : std::move(source);
}

}  // namespace convoy
