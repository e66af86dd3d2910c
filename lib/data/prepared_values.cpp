#include "data/prepared_values.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"

namespace convoy {
namespace {

/// An open file that nothing in the file system names any more.
struct NamelessFile {
    int descriptor = -1;

    explicit NamelessFile(std::size_t bytes) {
        const auto folder = temporary_folder();
        auto name = (folder / "convoy-prepared-XXXXXX").string();
        descriptor = ::mkostemp(name.data(), O_CLOEXEC);
        if (descriptor < 0) fail(folder, errno);
        ::unlink(name.c_str());
        // Room is taken now: a disk that is full later would be a SIGBUS.
        const int error = ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
        if (error == 0) return;
        ::close(descriptor);
        fail(folder, error);
    }
    NamelessFile(const NamelessFile&) = delete;
    NamelessFile& operator=(const NamelessFile&) = delete;
    NamelessFile(NamelessFile&&) = delete;
    NamelessFile& operator=(NamelessFile&&) = delete;
    ~NamelessFile() { ::close(descriptor); }

    [[noreturn]] static void fail(const std::filesystem::path& folder, int error) {
        throw OutputError(
            fmt::format("{}: no room for prepared examples: {}", folder.string(), std::strerror(error)));
    }
};

void* map(std::size_t bytes, PreparedStore place) {
    constexpr int access = PROT_READ | PROT_WRITE;
    if (place == PreparedStore::memory)
        return ::mmap(nullptr, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const NamelessFile file(bytes);
    return ::mmap(nullptr, bytes, access, MAP_SHARED, file.descriptor, 0);
}

}  // namespace

FloatStore::FloatStore(std::size_t count, PreparedStore place) {
    if (count == 0) return;
    void* memory = map(count * sizeof(float), place);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    values_ = {static_cast<float*>(memory), count};
}

FloatStore::~FloatStore() {
    if (!values_.empty()) ::munmap(values_.data(), values_.size_bytes());
}

PreparedValues::PreparedValues(std::shared_ptr<const ExampleValues> source, std::uint32_t first,
                               std::uint32_t count, std::size_t values, PreparedStore place)
    : source_(std::move(source)),
      first_(first),
      count_(count),
      example_values_(values),
      store_(count * values, place),
      states_(std::make_unique<std::atomic<State>[]>(count)) {}

void PreparedValues::prepare_all() const {
    std::vector<float> example(example_values_);
    for (std::uint32_t i = 0; i < count_; ++i) read(first_ + i, example);
}

std::span<float> PreparedValues::place_of(std::uint32_t index) const {
    return store_.values().subspan(index * example_values_, example_values_);
}

void PreparedValues::read(std::uint32_t example, std::span<float> into) const {
    const auto index = example - first_;
    if (index >= count_) throw InternalError(fmt::format("example {} is not among the prepared", example));
    auto& state = states_[index];
    if (state.load(std::memory_order_acquire) == State::ready) {
        std::ranges::copy(place_of(index), into.begin());
        return;
    }
    source_->read(example, into);
    auto raw = State::raw;
    // Another thread may be at it, or may have been: what it keeps is the same.
    if (!state.compare_exchange_strong(raw, State::in_work)) return;
    std::ranges::copy(into, place_of(index).begin());
    state.store(State::ready, std::memory_order_release);
}

}  // namespace convoy
