#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace convoy {

/// The place of a value in a JSON document, for errors such as "mnist.json: $.nodes[1].threads: found ...".
class Place {
  public:
    /// The place of the whole document. source: its name.
    explicit Place(std::string source) : source_(std::move(source)) {}

    [[nodiscard]] Place key(std::string_view name) const;
    [[nodiscard]] Place item(std::size_t position) const;

    /// These throw DataError: for a wrong value (refuse), for a missing value (missing), and for other
    /// problems (fail).
    [[noreturn]] void refuse(const nlohmann::json& found, std::string_view expected) const;
    [[noreturn]] void missing(std::string_view expected) const;
    [[noreturn]] void fail(std::string_view message) const;

  private:
    std::string source_;
    std::string path_ = "$";
};

}  // namespace convoy
