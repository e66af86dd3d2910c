#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/place.hpp"

namespace convoy {

/// The most values in a list of a replication file.
inline constexpr std::size_t most_list_values = 1000;

/// Reads the members of one JSON object from outside. All members throw DataError, which names the place, if
/// a value is of another kind or missing.
class Members {
  public:
    /// object: must outlive this.
    Members(const nlohmann::json& object, Place place);

    [[nodiscard]] bool has(std::string_view key);
    [[nodiscard]] std::string text(std::string_view key);
    /// Absent: the standard.
    [[nodiscard]] std::string text_or(std::string_view key, std::string standard);
    [[nodiscard]] double number_or(std::string_view key, double standard);
    [[nodiscard]] std::optional<double> number_if(std::string_view key);
    [[nodiscard]] bool flag(std::string_view key);
    /// Texts; of a list that is absent none.
    [[nodiscard]] std::vector<std::string> texts(std::string_view key);
    /// read(value, its place) of each value of a list; of a list that is absent none.
    template <typename Read>
    auto list(std::string_view key, const Read& read) {
        std::vector<decltype(read(object_, place_))> values;
        const auto* found = find(key);
        if (found == nullptr) return values;
        check_list(*found, key);
        const auto place = place_.key(key);
        for (std::size_t i = 0; i < found->size(); ++i) values.push_back(read((*found)[i], place.item(i)));
        return values;
    }
    /// An object; null if it is absent.
    [[nodiscard]] const nlohmann::json* object(std::string_view key);
    [[nodiscard]] const Place& place() const { return place_; }

    /// Refuses keys that nobody asked for.
    void finish() const;

  private:
    const nlohmann::json* find(std::string_view key);
    void check_list(const nlohmann::json& found, std::string_view key) const;

    const nlohmann::json& object_;
    Place place_;
    std::vector<std::string> known_;
};

}  // namespace convoy
