#include "base/handled_error.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <new>
#include <system_error>

using namespace convoy;
namespace fs = std::filesystem;

namespace {

template <typename Exception>
Error handled(const Exception& thrown, ExitCode of_file_system = ExitCode::missing) {
    try {
        throw thrown;
    } catch (...) {
        return handled_error(of_file_system);
    }
}

}  // namespace

TEST_CASE("an error of convoy keeps its code and its text") {
    CHECK(handled(DeadlineError("node 1 is late")).code() == ExitCode::deadline);
    CHECK(handled(DeadlineError("node 1 is late")).what() == std::string("node 1 is late"));
}

TEST_CASE("an error of the file system has the code of those who use the file, and its path") {
    const fs::filesystem_error full("write", "/some/file", make_error_code(std::errc::no_space_on_device));
    CHECK(handled(full).code() == ExitCode::missing);
    CHECK(handled(full, ExitCode::cannot_write).code() == ExitCode::cannot_write);
    CHECK(handled(full).what() == std::string("/some/file: No space left on device"));
}

TEST_CASE("lack of memory is not called a bug, and an unknown exception is") {
    CHECK(handled(std::bad_alloc()).code() == ExitCode::data);
    CHECK(handled(std::logic_error("odd")).code() == ExitCode::bug);
    CHECK(handled(std::logic_error("odd")).what() ==
          std::string("a bug: odd; please report it with the spec"));
}
