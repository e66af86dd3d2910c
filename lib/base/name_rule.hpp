#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace convoy {

/// The rule for names that become part of a path, of a table or of a message. Such a name cannot leave its
/// folder, is no hidden file and no option, and has no control characters.
struct NameRule {
    std::string_view others;    ///< characters that may follow the first, beside letters and digits
    std::size_t longest = 100;  ///< in bytes

    [[nodiscard]] bool allows(std::string_view name) const;
    /// The rule for messages, as in "a name of 1 to 100 letters, digits or '_', the first a letter or digit".
    [[nodiscard]] std::string expected() const;
};

/// The rule for names of runs, of sweeps, of manifests and of their files.
inline constexpr NameRule file_names{"_-."};

}  // namespace convoy
