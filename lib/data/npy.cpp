#include "data/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/json_text.hpp"

namespace convoy {
namespace {

std::string type_list() {
    std::string list;
    for (const auto& type : npy::types) list += fmt::format("{}'{}'", list.empty() ? "" : ", ", type.descr);
    return list;
}

/// The header's text: a Python literal of one dictionary, of which only strings, truth values and tuples of
/// integers are known here. The keys may stand in any order.
class HeaderText {
  public:
    HeaderText(std::string_view text, const std::string& source) : rest_(text), source_(source) {}

    NpyHeader read() {
        expect('{');
        while (!take('}')) {
            const auto key = quoted();
            expect(':');
            read_value(key);
            if (!take(',')) {
                expect('}');
                break;
            }
        }
        skip_blanks();
        if (!rest_.empty()) fail("{} characters follow its dictionary", rest_.size());
        if (!type_ || !fortran_order_ || !shape_)
            fail("not all of 'descr', 'fortran_order' and 'shape' are there");
        if (*fortran_order_ && shape_->size() > 1)
            refuse(
                "found an array in Fortran order, expected C order: save it as "
                "numpy.ascontiguousarray(array)");
        return {{.type = *type_, .shape = Shape(std::move(*shape_))}, 0};
    }

  private:
    void read_value(std::string_view key) {
        if (key == "descr" && !type_) {
            type_ = type();
        } else if (key == "fortran_order" && !fortran_order_) {
            fortran_order_ = truth();
        } else if (key == "shape" && !shape_) {
            shape_ = extents();
        } else {
            fail("the key {} is unknown or stands twice", describe(std::string(key)));
        }
    }

    NpyType type() {
        skip_blanks();
        if (rest_.starts_with('[')) refuse("found a structured type, expected one of {}", type_list());
        const auto text = quoted();
        const auto* const found = std::ranges::find(npy::types, text, &npy::TypeName::descr);
        if (found != npy::types.end()) return found->type;
        refuse("found elements of type {}{}, expected one of {}: save it as array.astype(...)",
               describe(std::string(text)), text.starts_with('>') ? ", big-endian" : "", type_list());
    }

    bool truth() {
        skip_blanks();
        for (const auto& [word, value] :
             {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
            if (!rest_.starts_with(word)) continue;
            rest_.remove_prefix(word.size());
            return value;
        }
        fail("'fortran_order' is neither True nor False");
    }

    std::vector<std::int64_t> extents() {
        std::vector<std::int64_t> extents;
        expect('(');
        while (!take(')')) {
            if (extents.size() == npy::most_dimensions)
                refuse("found more than {} dimensions, which is more than NumPy has", npy::most_dimensions);
            extents.push_back(integer());
            if (!take(',')) {
                expect(')');
                break;
            }
        }
        return extents;
    }

    std::int64_t integer() {
        skip_blanks();
        std::int64_t value = 0;
        const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (problem != std::errc{} || value < 0) fail("'shape' has an entry that is no extent");
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return value;
    }

    /// A string without escapes, which no key and no type has.
    std::string_view quoted() {
        skip_blanks();
        const char quote = rest_.empty() ? '\0' : rest_.front();
        if (quote != '\'' && quote != '"') fail("a string is missing");
        const auto end = rest_.find(quote, 1);
        if (end == std::string_view::npos) fail("a string does not end");
        const auto text = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        return text;
    }

    void skip_blanks() {
        const auto first = rest_.find_first_not_of(" \t\r\n");
        rest_.remove_prefix(std::min(first, rest_.size()));
    }
    bool take(char wanted) {
        skip_blanks();
        if (!rest_.starts_with(wanted)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void expect(char wanted) {
        if (!take(wanted)) fail("'{}' is missing", wanted);
    }

    template <typename... T>
    [[noreturn]] void refuse(fmt::format_string<T...> what, T&&... values) const {
        throw DataError(fmt::format("{}: {}", source_, fmt::format(what, std::forward<T>(values)...)));
    }
    template <typename... T>
    [[noreturn]] void fail(fmt::format_string<T...> what, T&&... values) const {
        refuse("damaged NPY header: {}", fmt::format(what, std::forward<T>(values)...));
    }

    std::string_view rest_;
    const std::string& source_;
    std::optional<NpyType> type_;
    std::optional<bool> fortran_order_;
    std::optional<std::vector<std::int64_t>> shape_;
};

/// Reads the magic and the version, and returns how many bytes say the header's length.
std::size_t read_magic(ByteSource& source) {
    std::array<std::uint8_t, npy::magic.size() + npy::version_bytes> begin{};
    read_exactly(source, begin, "NPY header");
    const bool is_npy = std::ranges::equal(
        npy::magic, std::span(begin).first(npy::magic.size()),
        [](char wanted, std::uint8_t found) { return static_cast<std::uint8_t>(wanted) == found; });
    if (!is_npy)
        throw DataError(fmt::format("{}: not an NPY file: it does not begin with \\x93NUMPY", source.name()));
    const auto major = begin[npy::magic.size()];
    const auto minor = begin[npy::magic.size() + 1];
    if (major < 1 || major > 3 || minor != 0)
        throw DataError(fmt::format("{}: found NPY version {}.{}, expected 1.0, 2.0 or 3.0", source.name(),
                                    major, minor));
    return major == 1 ? npy::short_length_bytes : npy::long_length_bytes;
}

void check_array_size(const NpyHeader& header, const ByteSource& source) {
    if (header.shape.rank() == 0)
        throw DataError(fmt::format("{}: found a single number, expected an array", source.name()));
    std::uint64_t elements = 1;
    for (const auto extent : header.shape) {
        if (extent == 0)
            throw DataError(
                fmt::format("{}: its shape is {}: it holds no examples", source.name(), header.shape.text()));
        if (static_cast<std::uint64_t>(extent) > npy::most_elements / elements) {
            throw DataError(fmt::format("{}: its shape is {}, expected at most {} elements", source.name(),
                                        header.shape.text(), npy::most_elements));
        }
        elements *= static_cast<std::uint64_t>(extent);
    }
    const auto expected = header.offset + elements * header.type_name().bytes;
    if (source.most_bytes() != expected) {
        throw DataError(fmt::format(
            "{}: {} bytes where its header, {} of '{}', announces {}: truncated or damaged", source.name(),
            source.most_bytes(), header.shape.text(), header.type_name().descr, expected));
    }
}

}  // namespace

const npy::TypeName& ArrayForm::type_name() const {
    return *std::ranges::find(npy::types, type, &npy::TypeName::type);
}

NpyHeader read_npy_header(ByteSource& source) {
    std::vector<std::uint8_t> bytes(read_magic(source));
    read_exactly(source, bytes, "NPY header");
    std::size_t length = 0;
    for (std::size_t i = bytes.size(); i > 0; --i) length = length << 8U | bytes[i - 1];
    const auto before = npy::magic.size() + npy::version_bytes + bytes.size();
    if (length > npy::most_header_bytes || length + before > source.most_bytes()) {
        throw DataError(
            fmt::format("{}: truncated or damaged: its NPY header has {} bytes, expected at most {}",
                        source.name(), length, npy::most_header_bytes));
    }
    bytes.resize(length);
    read_exactly(source, bytes, "NPY header");
    auto header =
        HeaderText({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, source.name()).read();
    header.offset = before + length;
    check_array_size(header, source);
    return header;
}

}  // namespace convoy
