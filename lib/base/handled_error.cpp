#include "base/handled_error.hpp"

#include <fmt/format.h>

#include <exception>
#include <filesystem>

#include "base/lack_of_memory.hpp"

namespace convoy {

Error handled_error(ExitCode of_file_system) {
    try {
        throw;
    } catch (const Error& error) {
        return error;
    } catch (const std::filesystem::filesystem_error& error) {
        return {of_file_system, fmt::format("{}: {}", error.path1().string(), error.code().message())};
    } catch (const std::exception& error) {
        if (const auto lack = lack_of_memory(error)) return DataError(*lack);
        return InternalError(fmt::format("a bug: {}; please report it with the spec", error.what()));
    }
}

}  // namespace convoy
