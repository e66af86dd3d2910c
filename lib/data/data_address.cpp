#include "data/data_address.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <functional>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "spec/dataset_spec.hpp"

namespace convoy {
namespace {

constexpr std::size_t longest_address = 2048;

struct Scheme {
    std::string_view name, carrier;
    bool is_webhdfs;
};
constexpr std::array<Scheme, 4> schemes{{{"http", "http", false},
                                         {"https", "https", false},
                                         {"webhdfs", "http", true},
                                         {"swebhdfs", "https", true}}};

/// The parts of an address as libcurl takes them apart, so that what is checked is what is connected to.
class Parts {
  public:
    explicit Parts(const std::string& text) : handle_(::curl_url(), &::curl_url_cleanup) {
        if (!handle_) throw InternalError("libcurl cannot take an address apart");
        const auto state = ::curl_url_set(handle_.get(), CURLUPART_URL, text.c_str(),
                                          CURLU_NON_SUPPORT_SCHEME | CURLU_DISALLOW_USER);
        if (state == CURLUE_USER_NOT_ALLOWED)
            throw DataError(
                "a user or password stands in the address, and would be in each result; put both into "
                "~/.netrc");
        if (state != CURLUE_OK)
            throw DataError(fmt::format("cannot be read as an address: {}", ::curl_url_strerror(state)));
    }
    [[nodiscard]] std::string get(CURLUPart part) const {
        char* text = nullptr;
        if (::curl_url_get(handle_.get(), part, &text, 0) != CURLUE_OK) return {};
        const std::unique_ptr<char, decltype(&::curl_free)> owned(text, &::curl_free);
        return text;
    }

  private:
    std::unique_ptr<CURLU, decltype(&::curl_url_cleanup)> handle_;
};

/// The parts of a text between marks.
std::vector<std::string> split(const std::string& text, const std::function<bool(char)>& is_mark) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (is_mark(c)) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

std::vector<std::string> split_at_ampersands(const std::string& text) {
    return split(text, [](char c) { return c == '&'; });
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

/// Whether the name of a field of a query says that its value is a secret, as in X-Amz-Signature.
bool names_secret(const std::string& name) {
    constexpr std::array<std::string_view, 14> words{
        "token", "sig",    "signature", "secret",        "password",   "passwd",     "pwd",
        "key",   "apikey", "auth",      "authorization", "credential", "delegation", "awsaccesskeyid"};
    const auto is_mark = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; };
    return std::ranges::any_of(split(lower(name), is_mark), [&](const std::string& word) {
        return std::ranges::find(words, word) != words.end();
    });
}

std::string known_schemes() {
    return "http, https, webhdfs or swebhdfs";
}

}  // namespace

DataAddress::DataAddress(const std::string& text) {
    if (!is_address(text)) throw DataError(fmt::format("is no address with {}", known_schemes()));
    const bool is_plain = std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
    if (text.size() > longest_address || !is_plain)
        throw DataError(
            fmt::format("an address has 1 to {} characters of ASCII without blanks; write others "
                        "as %XX",
                        longest_address));
    const auto name = lower(text.substr(0, text.find("://")));
    const auto scheme = std::ranges::find(schemes, name, &Scheme::name);
    if (scheme == schemes.end())
        throw DataError(
            fmt::format("convoy cannot fetch by {}; it knows {}{}", name, known_schemes(),
                        name == "hdfs" ? " (of the same file: webhdfs://NAMENODE:9870/PATH)" : ""));
    const Parts parts(text);
    is_webhdfs_ = scheme->is_webhdfs;
    scheme_ = scheme->carrier;
    place_ = parts.get(CURLUPART_HOST);
    // libcurl has put bytes in place of %XX.
    const bool is_host = std::ranges::all_of(place_, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("-._:[]").find(c) != std::string_view::npos;
    });
    if (place_.empty() || !is_host)
        throw DataError("the address has no host of letters, digits, '-' and '.'");
    if (const auto port = parts.get(CURLUPART_PORT); !port.empty()) place_ += ":" + port;
    path_ = parts.get(CURLUPART_PATH);
    if (path_.empty()) path_ = "/";
    shown_ = fmt::format("{}://{}{}", scheme->name, place_, path_);
    take_query(parts.get(CURLUPART_QUERY));
    take_fragment(parts.get(CURLUPART_FRAGMENT));
}

void DataAddress::take_query(const std::string& query) {
    for (const auto& field : split_at_ampersands(query)) {
        const auto name = field.substr(0, field.find('='));
        if (names_secret(name))
            throw DataError(
                fmt::format("the query has a credential ({}), which would be in each result; {}", name,
                            is_webhdfs_ ? "set CONVOY_WEBHDFS_TOKEN to a delegation token" : "use ~/.netrc"));
        const auto known = lower(name);
        if (is_webhdfs_ && (known == "op" || known == "offset" || known == "length"))
            throw DataError(fmt::format("the query has {}, which convoy sets itself", known));
    }
    query_ = query;
}

void DataAddress::take_fragment(const std::string& fragment) {
    if (fragment.empty()) return;
    constexpr std::string_view hash_key = "sha256=", bytes_key = "bytes=";
    FileIdentity identity{.bytes = {}, .digest = {}};
    for (const auto& field : split_at_ampersands(fragment)) {
        if (field.starts_with(hash_key) && identity.digest.hex.empty() &&
            is_digest(field.substr(hash_key.size()), HashKind::sha256)) {
            identity.digest.hex = field.substr(hash_key.size());
            continue;
        }
        std::uint64_t bytes = 0;
        const auto* const end = field.data() + field.size();
        const bool is_size = field.starts_with(bytes_key) && !identity.bytes;
        if (is_size) {
            const auto [stop, problem] = std::from_chars(field.data() + bytes_key.size(), end, bytes);
            if (problem == std::errc{} && stop == end) {
                identity.bytes = bytes;
                continue;
            }
        }
        throw DataError(
            "expected #sha256=HEX or #sha256=HEX&bytes=N behind the address, with 64 lower-case "
            "hexadecimal digits");
    }
    if (identity.digest.hex.empty()) throw DataError("the size behind the address needs a hash: #sha256=HEX");
    identity_ = std::move(identity);
}

std::string DataAddress::text() const {
    return query_.empty() ? shown_ : shown_ + "?" + query_;
}

std::string DataAddress::file_name() const {
    return path_.substr(path_.rfind('/') + 1);
}

DataAddress DataAddress::file(const std::string& name) const {
    auto of_file = *this;
    const auto* const slash = path_.ends_with('/') ? "" : "/";
    of_file.path_ += slash + name;
    of_file.shown_ += slash + name;
    of_file.identity_.reset();
    return of_file;
}

std::string DataAddress::request(std::uint64_t offset, std::string_view token) const {
    const auto with_query = [](std::string address, const std::string& query) {
        return query.empty() ? address : address + "?" + query;
    };
    if (!is_webhdfs_) return with_query(fmt::format("{}://{}{}", scheme_, place_, path_), query_);
    // https://hadoop.apache.org/docs/stable/hadoop-project-dist/hadoop-hdfs/WebHDFS.html, "Open and Read a
    // File"
    std::string query = "op=OPEN";
    if (offset > 0) query += fmt::format("&offset={}", offset);
    if (!query_.empty()) query += "&" + query_;
    if (!token.empty()) query += fmt::format("&delegation={}", token);
    return with_query(fmt::format("{}://{}/webhdfs/v1{}", scheme_, place_, path_), query);
}

}  // namespace convoy
