#include "measure/core_list.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <charconv>

namespace convoy {
namespace {

/// Takes a number from the front of the text.
std::optional<std::int64_t> take_number(std::string_view& text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || number < 0 || number >= CoreList::most_cores) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

bool take(char expected, std::string_view& text) {
    if (text.empty() || text.front() != expected) return false;
    text.remove_prefix(1);
    return true;
}

}  // namespace

std::optional<CoreList> CoreList::of_process() {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    if (::sched_getaffinity(0, sizeof cores, &cores) != 0) return std::nullopt;
    CoreList list;
    for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &cores)) list.cores_.insert(core);
    return list;
}

std::optional<CoreList> CoreList::parse(std::string_view text) {
    CoreList list;
    std::int64_t least = 0;  // of the next range, since a list is in ascending order
    while (!text.empty()) {
        if (list.size() > 0 && !take(',', text)) return std::nullopt;
        const auto first = take_number(text);
        const auto last = take('-', text) ? take_number(text) : first;
        if (!first || !last || *first < least || *last < *first) return std::nullopt;
        for (auto core = *first; core <= *last; ++core) list.cores_.insert(core);
        least = *last + 1;
    }
    return list;
}

std::string CoreList::text() const {
    std::string text;
    for (auto core = cores_.begin(); core != cores_.end();) {
        const auto first = *core;
        auto last = first;
        while (++core != cores_.end() && *core == last + 1) last = *core;
        if (!text.empty()) text += ',';
        text += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
    }
    return text;
}

std::int64_t usable_cores(const std::optional<CoreList>& list) {
    return list ? list->size() : ::sysconf(_SC_NPROCESSORS_ONLN);
}

}  // namespace convoy
