#include "data/download.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "data/http_fields.hpp"

namespace convoy {
namespace {

/// The bounds of a file whose size was not published.
constexpr std::uint64_t most_announced_bytes = std::uint64_t{1} << 44U;    ///< that the server announces
constexpr std::uint64_t most_unannounced_bytes = std::uint64_t{1} << 32U;  ///< without an announcement

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

using Handle = std::unique_ptr<CURL, decltype(&::curl_easy_cleanup)>;

template <typename Value>
void set(const Handle& handle, CURLoption option, Value value) {
    if (::curl_easy_setopt(handle.get(), option, value) != CURLE_OK) {
        throw InternalError(fmt::format("libcurl refuses option {}", static_cast<int>(option)));
    }
}

template <typename Value>
Value info(const Handle& handle, CURLINFO what) {
    Value value{};
    ::curl_easy_getinfo(handle.get(), what, &value);
    return value;
}

/// A field of the last answer's header; empty if it has none.
std::string header_field(const Handle& handle, const char* name) {
    ::curl_header* found = nullptr;
    const auto state = ::curl_easy_header(handle.get(), name, 0, CURLH_HEADER, -1, &found);
    return state == CURLHE_OK ? found->value : "";
}

/// One attempt. Exceptions must not pass through libcurl: they wait here.
class Transfer {
  public:
    Transfer(const TransferRequest& request, FileVersion& version, PartFile& part)
        : request_(request), version_(version), part_(part), begin_(part.size()) {
        prepare();
    }
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;
    Transfer(Transfer&&) = delete;
    Transfer& operator=(Transfer&&) = delete;
    ~Transfer() = default;

    TransferResult run() {
        const auto code = ::curl_easy_perform(handle_.get());
        if (failure_) std::rethrow_exception(failure_);
        if (verdict_) return *verdict_;
        if (code == CURLE_OK) return {TransferState::complete, {}};
        return {state_of(code), error_text_[0] != '\0' ? error_text_.data() : ::curl_easy_strerror(code)};
    }

  private:
    void prepare() {
        static const CurlLibrary library;
        handle_.reset(::curl_easy_init());
        if (!handle_) throw InternalError("libcurl cannot start a transfer");
        const auto seconds = std::max(1L, static_cast<long>(request_.stalled.count()));
        set(handle_, CURLOPT_URL, request_.address.c_str());
        set(handle_, CURLOPT_PROTOCOLS_STR, "http,https");
        set(handle_, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
        set(handle_, CURLOPT_FOLLOWLOCATION, 1L);
        set(handle_, CURLOPT_MAXREDIRS, 5L);
        set(handle_, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
        set(handle_, CURLOPT_FAILONERROR, 1L);
        set(handle_, CURLOPT_NOSIGNAL, 1L);
        set(handle_, CURLOPT_CONNECTTIMEOUT, seconds);
        set(handle_, CURLOPT_LOW_SPEED_LIMIT, 1L);
        set(handle_, CURLOPT_LOW_SPEED_TIME, seconds);
        set(handle_, CURLOPT_USERAGENT, "convoy");
        set(handle_, CURLOPT_ERRORBUFFER, error_text_.data());
        set(handle_, CURLOPT_WRITEFUNCTION, &take_bytes);
        set(handle_, CURLOPT_WRITEDATA, this);
        set(handle_, CURLOPT_NOPROGRESS, 0L);
        set(handle_, CURLOPT_XFERINFOFUNCTION, &tell_progress);
        set(handle_, CURLOPT_XFERINFODATA, this);
        if (begin_ == 0 || request_.begins_at_part) return;
        set(handle_, CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(begin_));
        if (version_.etag.empty()) return;
        fields_.reset(::curl_slist_append(nullptr, ("If-Range: " + version_.etag).c_str()));
        set(handle_, CURLOPT_HTTPHEADER, fields_.get());
    }

    /// CURLOPT_WRITEFUNCTION: anything but count ends the transfer.
    static std::size_t take_bytes(char* bytes, std::size_t /*one*/, std::size_t count, void* user) {
        auto& self = *static_cast<Transfer*>(user);
        try {
            return self.take({bytes, count}) ? count : 0;
        } catch (...) {
            self.failure_ = std::current_exception();
            return 0;
        }
    }

    /// CURLOPT_XFERINFOFUNCTION: anything but 0 ends the transfer.
    static int tell_progress(void* user, curl_off_t /*expected*/, curl_off_t /*received*/,
                             curl_off_t /*to_send*/, curl_off_t /*sent*/) {
        auto& self = *static_cast<Transfer*>(user);
        try {
            if (self.request_.progress) self.request_.progress(self.part_.size());
            return 0;
        } catch (...) {
            self.failure_ = std::current_exception();
            return 1;
        }
    }

    /// False if these bytes are not wanted.
    bool take(std::span<const char> bytes) {
        if (!std::exchange(has_begun_, true) && !begin()) return false;
        if (part_.size() + bytes.size() > most_bytes_)
            return refuse(TransferState::wrong_size, fmt::format("more than {} bytes came", most_bytes_));
        part_.append(bytes);
        return true;
    }

    /// Looks at the header of the answer before its first byte is written.
    bool begin() {
        const auto found = version_of_answer();
        if (!found) return refuse(TransferState::no_resume, "the server sends another part of the file");
        const auto total = found->bytes;
        if (begin_ > 0) {
            const bool is_other_tag =
                !version_.etag.empty() && !found->etag.empty() && version_.etag != found->etag;
            const bool is_other_size = version_.bytes && total && *version_.bytes != *total;
            if (is_other_tag || is_other_size)
                return refuse(TransferState::no_resume, "the file on the server has changed meanwhile");
        }
        version_ = *found;
        if (request_.bytes && total && *request_.bytes != *total)
            return refuse(TransferState::wrong_size,
                          fmt::format("the server has {} bytes, not {}", *total, *request_.bytes));
        if (!request_.bytes && total && *total > most_announced_bytes)
            return refuse(TransferState::wrong_size, fmt::format("the server announces {} bytes", *total));
        most_bytes_ = request_.bytes.value_or(total.value_or(most_unannounced_bytes));
        if (total && request_.announced) request_.announced(*total);
        return true;
    }

    /// Absent if the bytes of the answer do not follow those of the part.
    [[nodiscard]] std::optional<FileVersion> version_of_answer() const {
        FileVersion found{.etag = std::string(strong_etag(header_field(handle_, "ETag"))), .bytes = {}};
        const auto length = info<curl_off_t>(handle_, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T);
        if (length >= 0) found.bytes = begin_ + static_cast<std::uint64_t>(length);
        if (info<long>(handle_, CURLINFO_RESPONSE_CODE) != partial_content) return found;
        const auto range = parse_content_range(header_field(handle_, "Content-Range"));
        if (!range || range->first != begin_) return std::nullopt;
        found.bytes = range->total;
        return found;
    }

    bool refuse(TransferState state, std::string problem) {
        verdict_ = TransferResult{state, std::move(problem)};
        return false;
    }

    [[nodiscard]] TransferState state_of(CURLcode code) const {
        const auto status = info<long>(handle_, CURLINFO_RESPONSE_CODE);
        // RFC 9110: the part is as long as the file, or longer.
        if (code == CURLE_RANGE_ERROR || status == range_not_satisfiable) return TransferState::no_resume;
        if (code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_TOO_MANY_REDIRECTS ||
            code == CURLE_URL_MALFORMAT || code == CURLE_PEER_FAILED_VERIFICATION)
            return TransferState::refused;
        const bool may_pass = status == request_timeout || status == too_many_requests;
        const bool is_client_error = status >= 400 && status < 500;
        return code == CURLE_HTTP_RETURNED_ERROR && is_client_error && !may_pass ? TransferState::refused
                                                                                 : TransferState::broken;
    }

    static constexpr long partial_content = 206, request_timeout = 408, range_not_satisfiable = 416,
                          too_many_requests = 429;

    const TransferRequest& request_;
    FileVersion& version_;
    PartFile& part_;
    std::uint64_t begin_;
    std::unique_ptr<::curl_slist, decltype(&::curl_slist_free_all)> fields_{nullptr, &::curl_slist_free_all};
    std::array<char, CURL_ERROR_SIZE> error_text_{};
    Handle handle_{nullptr, &::curl_easy_cleanup};
    std::uint64_t most_bytes_ = 0;
    bool has_begun_ = false;
    std::optional<TransferResult> verdict_;
    std::exception_ptr failure_;
};

}  // namespace

TransferResult transfer(const TransferRequest& request, FileVersion& version, PartFile& part) {
    return Transfer(request, version, part).run();
}

}  // namespace convoy
