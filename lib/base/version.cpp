#include "base/version.hpp"

namespace convoy {

std::string_view version() {
    return CONVOY_VERSION;
}

}  // namespace convoy
