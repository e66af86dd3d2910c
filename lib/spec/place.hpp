#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace convoy {

/// Where a value stands in a JSON document, and how its errors read: "mnist.json: $.nodes[1].threads: found
/// ...".
class Place {
  public:
    /// The whole document; source names it.
    explicit Place(std::string source) : source_(std::move(source)) {}

    [[nodiscard]] Place key(std::string_view name) const;
    [[nodiscard]] Place item(std::size_t position) const;

    /// These throw DataError: for a value that is wrong, for one that is not there, and for anything else.
    [[noreturn]] void refuse(const nlohmann::json& found, std::string_view expected) const;
    [[noreturn]] void missing(std::string_view expected) const;
    [[noreturn]] void fail(std::string_view message) const;

  private:
    std::string source_;
    std::string path_ = "$";
};

}  // namespace convoy
