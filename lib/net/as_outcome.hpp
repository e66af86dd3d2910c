#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace convoy {

/// Awaits an operation for its error and what else it gives, where the error is not to be thrown.
inline constexpr auto as_outcome = boost::asio::as_tuple(boost::asio::use_awaitable);

}  // namespace convoy
