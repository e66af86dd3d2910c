#pragma once

#include "base/error.hpp"

namespace convoy {

/// The exception that is being handled, as the user sees it: an Error as it is, lack of memory as DataError,
/// an error of the file system as Error with the code `of_file_system`, any other std::exception as
/// InternalError. Call it in a catch clause only. Throws what is no std::exception.
Error handled_error(ExitCode of_file_system);

}  // namespace convoy
