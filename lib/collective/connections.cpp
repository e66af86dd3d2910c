#include "collective/connections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <future>
#include <utility>

#include "base/error.hpp"

namespace convoy {
namespace asio = boost::asio;

namespace {

/// Tickets of a connection are numbered from 0 by itself; of all together they are told apart by the rest of
/// a division.
Ticket outer(Ticket own, std::size_t connection, std::size_t connections) {
    return Ticket{static_cast<std::uint64_t>(own) * connections + connection};
}

}  // namespace

Connections::Connections(IoThread& io, std::vector<std::unique_ptr<Fabric>> fabrics) : io_(io) {
    for (std::size_t i = 0; i < fabrics.size(); ++i) {
        all_.push_back(std::make_unique<FabricCommunicator>(
            io, std::move(fabrics[i]), [this, i](const std::exception_ptr& error) { end_others(i, error); }));
    }
}

Connections::~Connections() {
    for (auto& each : all_)
        each->abort(std::make_exception_ptr(NodeLostError("this node has closed its links")));
    // From here on none fails anew. Where the network thread is still telling the others of a failure, it has
    // done so before it comes to this.
    std::promise<void> told;
    asio::post(io_.context(), [&told] { told.set_value(); });
    told.get_future().wait();
}

void Connections::end_others(std::size_t failed, const std::exception_ptr& error) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
        if (i != failed) all_[i]->abort(error);
    }
}

FabricCommunicator& Connections::connection(std::int64_t index) {
    const auto count = static_cast<std::int64_t>(all_.size());
    if (index < 0 || index >= count)
        throw InternalError(fmt::format("a collective on connection {} of {}", index, count));
    return *all_[static_cast<std::size_t>(index)];
}

Ticket Connections::start(ReduceBuffer buffer, const Exchange& exchange) {
    auto& on = connection(exchange.options.connection);
    return outer(on.start(buffer, exchange), static_cast<std::size_t>(exchange.options.connection),
                 all_.size());
}

CollectiveTimes Connections::run(ReduceBuffer buffer, const Exchange& exchange) {
    const auto times = connection(exchange.options.connection).run(buffer, exchange);
    // That one is done and has left the network thread at rest, but others may have something to do.
    if (std::ranges::any_of(all_, [](const auto& each) { return each->busy(); })) io_.resume();
    return times;
}

CollectiveTimes Connections::wait(Ticket ticket) {
    const auto value = static_cast<std::uint64_t>(ticket);
    return all_[value % all_.size()]->wait(Ticket{value / all_.size()});
}

void Connections::drain() noexcept {
    for (auto& each : all_) each->drain();
}

Traffic Connections::traffic() const {
    Traffic sum;
    for (const auto& each : all_) {
        const auto traffic = each->traffic();
        sum.sent_bytes += traffic.sent_bytes;
        sum.received_bytes += traffic.received_bytes;
    }
    return sum;
}

}  // namespace convoy
