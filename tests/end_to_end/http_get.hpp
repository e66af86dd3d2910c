#pragma once

#include <string>

namespace convoy::test {

/// The body of an answer over HTTP from a port of loopback; empty if there is none, or if its status is not
/// 200.
std::string http_get(int port, const std::string& target);

/// A text as a value in a query of HTTP.
std::string percent_encoded(const std::string& text);

}  // namespace convoy::test
