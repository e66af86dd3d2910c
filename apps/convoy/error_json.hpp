#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "base/error.hpp"

namespace convoy {

/// Whether a command line asks for JSON, also if it is wrong in another way.
bool wants_json(std::span<const std::string> words);

/// An error for programs: {"error": {"code": 65, "kind": "data", "message": "..."}}, with "field" (as in
/// "$.optimizer") and "file" where the message begins with them.
nlohmann::json error_json(const Error& error);

/// Prints an object with results, and in it `error` as error_json has it. Tells the error on standard error,
/// and returns its exit code.
int print_with_error(nlohmann::json results, const Error& error);

}  // namespace convoy
