#include "data/tar.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/open_to_read.hpp"

namespace convoy {
namespace {

struct FreeArchive {
    void operator()(archive* opened) const { archive_read_free(opened); }
};

class TarSource final : public ByteSource {
  public:
    TarSource(const std::filesystem::path& file, const std::string& member)
        : name_(fmt::format("{}:{}", file.string(), member)),
          opened_(open_to_read(file, FileKinds::regular)),
          archive_(archive_read_new()) {
        if (!archive_) throw InternalError("libarchive cannot start");
        archive_read_support_filter_gzip(archive_.get());
        archive_read_support_format_tar(archive_.get());
        constexpr std::size_t piece = std::size_t{1} << 16U;
        if (archive_read_open_fd(archive_.get(), opened_.get(), piece) != ARCHIVE_OK)
            throw MissingFileError(fmt::format("{}: {}", file.string(), problem()));
        find(member);
    }
    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] std::uint64_t most_bytes() const override { return size_; }

    std::size_t read(std::span<std::uint8_t> into) override {
        std::size_t count = 0;
        while (count < into.size()) {
            const auto got = archive_read_data(archive_.get(), into.data() + count, into.size() - count);
            if (got < 0) throw DataError(fmt::format("{}: damaged archive: {}", name_, problem()));
            if (got == 0) break;
            count += static_cast<std::size_t>(got);
        }
        return count;
    }

  private:
    void find(const std::string& member) {
        archive_entry* entry = nullptr;
        int state = ARCHIVE_OK;
        while ((state = archive_read_next_header(archive_.get(), &entry)) == ARCHIVE_OK) {
            const char* path = archive_entry_pathname(entry);
            if (path == nullptr || path != member || archive_entry_filetype(entry) != AE_IFREG) continue;
            size_ = static_cast<std::uint64_t>(archive_entry_size(entry));
            return;
        }
        if (state != ARCHIVE_EOF) throw DataError(fmt::format("{}: damaged archive: {}", name_, problem()));
        throw DataError(fmt::format("{}: the archive holds no such file", name_));
    }
    [[nodiscard]] std::string problem() const {
        const char* text = archive_error_string(archive_.get());
        return text == nullptr ? "cannot be read" : text;
    }

    std::string name_;
    Descriptor opened_;
    std::unique_ptr<archive, FreeArchive> archive_;
    std::uint64_t size_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> tar_gz_source(const std::filesystem::path& archive, const std::string& member) {
    return std::make_unique<TarSource>(archive, member);
}

}  // namespace convoy
