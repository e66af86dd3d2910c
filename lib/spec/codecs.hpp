#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/name_rule.hpp"
#include "base/similar_name.hpp"
#include "spec/place.hpp"

/// A codec describes the values of a field. Reading, writing and error messages use the same codec:
///     T read(const json&, const Place&) const;   throws DataError at the place where the value does not fit
///     json write(const T&) const;
///     std::string expected() const;              completes "found ..., expected "
/// Included only by the sources of lib/spec.
namespace convoy {

/// true or false.
struct Flag {
    [[nodiscard]] bool read(const nlohmann::json& found, const Place& place) const;
    [[nodiscard]] nlohmann::json write(bool value) const;
    [[nodiscard]] std::string expected() const;
};

/// An integer within bounds, both included. 2.0 and 1e3 count as integers, as in JSON Schema.
struct Integer {
    std::int64_t low;
    std::int64_t high;
    [[nodiscard]] std::int64_t read(const nlohmann::json& found, const Place& place) const;
    [[nodiscard]] nlohmann::json write(std::int64_t value) const;
    [[nodiscard]] std::string expected() const;
};

/// Tools that store JSON numbers as doubles would change larger seeds.
inline constexpr Integer any_seed{0, (std::int64_t{1} << 53) - 1};

/// A finite number within bounds. Each bound may be excluded.
struct Number {
    enum class Without { none, low, high, both };
    double low;
    double high;
    Without without = Without::none;
    [[nodiscard]] constexpr bool without_low() const {
        return without == Without::low || without == Without::both;
    }
    [[nodiscard]] constexpr bool without_high() const {
        return without == Without::high || without == Without::both;
    }
    [[nodiscard]] double read(const nlohmann::json& found, const Place& place) const;
    [[nodiscard]] nlohmann::json write(double value) const;
    [[nodiscard]] std::string expected() const;
};

/// A name that a rule allows.
struct Identifier {
    NameRule rule;
    [[nodiscard]] std::string read(const nlohmann::json& found, const Place& place) const;
    [[nodiscard]] nlohmann::json write(const std::string& value) const;
    [[nodiscard]] std::string expected() const;
};

/// The path of a file, with any bytes; JSON has it as text_of_path does. The code that opens the file checks
/// that it exists.
struct FilePath {
    [[nodiscard]] std::string read(const nlohmann::json& found, const Place& place) const;
    [[nodiscard]] nlohmann::json write(const std::string& value) const;
    [[nodiscard]] std::string expected() const;
};

/// One of some names, each of which stands for a value.
template <typename T, std::size_t Count>
struct Choice {
    std::array<std::pair<std::string_view, T>, Count> names;

    [[nodiscard]] T read(const nlohmann::json& found, const Place& place) const {
        for (const auto& [name, value] : names) {
            if (found.is_string() && found.template get_ref<const std::string&>() == name) return value;
        }
        place.refuse(found, expected() + hint(found));
    }
    [[nodiscard]] nlohmann::json write(const T& wanted) const {
        for (const auto& [name, value] : names) {
            if (value == wanted) return std::string(name);
        }
        throw InternalError("a spec holds a value that has no name in JSON");
    }
    [[nodiscard]] std::string expected() const {
        std::string list;
        for (const auto& [name, value] : names)
            list += (list.empty() ? "\"" : ", \"") + std::string(name) + '"';
        return "one of " + list;
    }

  private:
    [[nodiscard]] std::string hint(const nlohmann::json& found) const {
        if (!found.is_string()) return "";
        std::array<std::string_view, Count> words;
        std::ranges::transform(names, words.begin(), [](const auto& entry) { return entry.first; });
        return did_you_mean(found.template get_ref<const std::string&>(), words);
    }
};

template <typename T, std::size_t Count>
constexpr Choice<T, Count> choice(const std::pair<std::string_view, T> (&names)[Count]) {
    return {std::to_array(names)};
}

/// null for an absent value, or a value of Codec.
template <typename Codec>
struct OrNull {
    Codec codec;

    [[nodiscard]] auto read(const nlohmann::json& found, const Place& place) const {
        using Value = std::optional<decltype(codec.read(found, place))>;
        if (found.is_null()) return Value{};
        return Value{codec.read(found, place)};
    }
    template <typename T>
    [[nodiscard]] nlohmann::json write(const std::optional<T>& value) const {
        return value ? codec.write(*value) : nlohmann::json();
    }
    [[nodiscard]] std::string expected() const { return codec.expected() + ", or null"; }
};
template <typename Codec>
OrNull(Codec) -> OrNull<Codec>;

/// A list of values that one codec reads.
template <typename T, typename Codec>
struct ListOf {
    Codec codec;
    std::size_t most;

    [[nodiscard]] std::vector<T> read(const nlohmann::json& found, const Place& place) const {
        if (!found.is_array() || found.size() > most) place.refuse(found, expected());
        std::vector<T> values;
        for (std::size_t i = 0; i < found.size(); ++i) values.push_back(codec.read(found[i], place.item(i)));
        return values;
    }
    [[nodiscard]] nlohmann::json write(const std::vector<T>& values) const {
        auto list = nlohmann::json::array();
        for (const auto& value : values) list.push_back(codec.write(value));
        return list;
    }
    [[nodiscard]] std::string expected() const {
        return fmt::format("a list of at most {}: {} each", most, codec.expected());
    }
};

}  // namespace convoy
