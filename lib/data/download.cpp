#include "data/download.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>

#include "base/error.hpp"

namespace convoy {
namespace {

/// libcurl's own set-up, once per process.
class CurlLibrary {
  public:
    CurlLibrary() {
        if (::curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) throw InternalError("libcurl cannot start");
    }
    CurlLibrary(const CurlLibrary&) = delete;
    CurlLibrary& operator=(const CurlLibrary&) = delete;
    CurlLibrary(CurlLibrary&&) = delete;
    CurlLibrary& operator=(CurlLibrary&&) = delete;
    ~CurlLibrary() { ::curl_global_cleanup(); }
};

/// What the callbacks of one transfer share. Exceptions must not pass through libcurl: they wait here.
struct Transfer {
    const TransferRequest& request;
    PartFile& part;
    bool too_large = false;
    std::exception_ptr failure;
};

/// CURLOPT_WRITEFUNCTION: anything but count ends the transfer.
std::size_t take_bytes(char* bytes, std::size_t /*one*/, std::size_t count, void* user) {
    auto& state = *static_cast<Transfer*>(user);
    try {
        state.too_large = state.part.size() + count > state.request.most_bytes;
        if (state.too_large) return 0;
        state.part.append({bytes, count});
        return count;
    } catch (...) {
        state.failure = std::current_exception();
        return 0;
    }
}

/// CURLOPT_XFERINFOFUNCTION: anything but 0 ends the transfer.
int tell_progress(void* user, curl_off_t /*expected*/, curl_off_t /*received*/, curl_off_t /*to_send*/,
                  curl_off_t /*sent*/) {
    auto& state = *static_cast<Transfer*>(user);
    try {
        if (state.request.progress) state.request.progress(state.part.size());
        return 0;
    } catch (...) {
        state.failure = std::current_exception();
        return 1;
    }
}

using Handle = std::unique_ptr<CURL, decltype(&::curl_easy_cleanup)>;

template <typename Value>
void set(const Handle& handle, CURLoption option, Value value) {
    if (::curl_easy_setopt(handle.get(), option, value) != CURLE_OK) {
        throw InternalError(fmt::format("libcurl refuses option {}", static_cast<int>(option)));
    }
}

Handle prepare(Transfer& state, char* error_text) {
    static const CurlLibrary library;
    Handle handle(::curl_easy_init(), &::curl_easy_cleanup);
    if (!handle) throw InternalError("libcurl cannot start a transfer");
    const auto seconds = std::max(1L, static_cast<long>(state.request.stalled.count()));
    set(handle, CURLOPT_URL, state.request.address.c_str());
    set(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    set(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    set(handle, CURLOPT_FOLLOWLOCATION, 1L);
    set(handle, CURLOPT_MAXREDIRS, 5L);
    set(handle, CURLOPT_FAILONERROR, 1L);
    set(handle, CURLOPT_NOSIGNAL, 1L);
    set(handle, CURLOPT_CONNECTTIMEOUT, seconds);
    set(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(handle, CURLOPT_LOW_SPEED_TIME, seconds);
    set(handle, CURLOPT_USERAGENT, "convoy");
    set(handle, CURLOPT_ERRORBUFFER, error_text);
    set(handle, CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(state.part.size()));
    set(handle, CURLOPT_WRITEFUNCTION, &take_bytes);
    set(handle, CURLOPT_WRITEDATA, &state);
    set(handle, CURLOPT_NOPROGRESS, 0L);
    set(handle, CURLOPT_XFERINFOFUNCTION, &tell_progress);
    set(handle, CURLOPT_XFERINFODATA, &state);
    return handle;
}

}  // namespace

TransferResult transfer(const TransferRequest& request, PartFile& part) {
    Transfer state{request, part, false, nullptr};
    std::array<char, CURL_ERROR_SIZE> error_text{};
    const auto handle = prepare(state, error_text.data());
    const auto code = ::curl_easy_perform(handle.get());
    if (state.failure) std::rethrow_exception(state.failure);
    if (code == CURLE_OK) return {TransferState::complete, {}};
    if (state.too_large)
        return {TransferState::too_large, fmt::format("more than {} bytes came", request.most_bytes)};
    long status = 0;
    ::curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
    constexpr long range_not_satisfiable = 416;  // RFC 9110: the part is as long as the file, or longer
    const bool no_resume = code == CURLE_RANGE_ERROR || status == range_not_satisfiable;
    const std::string problem = error_text[0] != '\0' ? error_text.data() : ::curl_easy_strerror(code);
    return {no_resume ? TransferState::no_resume : TransferState::broken, problem};
}

}  // namespace convoy
