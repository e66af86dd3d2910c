#include "base/version.hpp"

#include <fmt/format.h>

#include "commit.h"

namespace convoy {

std::string_view version() {
    return CONVOY_VERSION;
}

std::string_view commit() {
    return CONVOY_COMMIT;
}

std::string_view build_options() {
    return CONVOY_BUILD_OPTIONS;
}

std::string version_text() {
    return fmt::format("{} ({})", version(), commit());
}

std::string build_text() {
    return fmt::format("{} ({}; {})", version(), commit(), build_options());
}

}  // namespace convoy
