#include "net/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace convoy {
namespace asio = boost::asio;

Fabric::Link& Fabric::find(const Links& links, std::int64_t peer, std::string_view direction) {
    const auto found = links.find(peer);
    if (found == links.end())
        throw InternalError(fmt::format("this fabric has no link {} node {}", direction, peer));
    return *found->second;
}

Fabric::Fabric(asio::any_io_executor executor, std::int64_t rank, std::int64_t world_size,
               FabricOptions options)
    : executor_(std::move(executor)),
      rank_(rank),
      options_(std::move(options)),
      hosts_(options_.host_of_rank.empty() ? HostMap(world_size) : HostMap(options_.host_of_rank)),
      timer_(executor_) {
    if (hosts_.world_size() != world_size)
        throw InternalError(fmt::format("hosts of {} ranks for {} nodes", hosts_.world_size(), world_size));
    if (rank < 0 || rank >= world_size) {
        throw InternalError(fmt::format("rank {} is not in a fabric of {} nodes", rank, world_size));
    }
}

Fabric::~Fabric() {
    close();
}

void Fabric::link_to(std::int64_t peer, std::unique_ptr<Channel> channel) {
    to_[peer] = std::make_unique<Link>(Link{std::move(channel)});
}

void Fabric::link_from(std::int64_t peer, std::unique_ptr<Channel> channel) {
    from_[peer] = std::make_unique<Link>(Link{std::move(channel)});
}

Channel& Fabric::to(std::int64_t peer) const {
    return *find(to_, peer, "to").channel;
}

Channel& Fabric::from(std::int64_t peer) const {
    return *find(from_, peer, "from").channel;
}

std::uint64_t Fabric::sequence_to(std::int64_t peer) const {
    return find(to_, peer, "to").sequence;
}

std::uint64_t Fabric::sequence_from(std::int64_t peer) const {
    return find(from_, peer, "from").sequence;
}

void Fabric::hurry() {
    if (hurry_until_) return;
    hurry_until_ = Clock::now() + options_.grace;
    timer_.cancel();
    arm();
}

void Fabric::arm() {
    using std::chrono::milliseconds;
    const auto limit = hurry_until_ ? std::min(options_.grace, options_.deadline) : options_.deadline;
    timer_.expires_after(
        std::clamp<Clock::duration>(limit / looks_in_time, milliseconds(1), milliseconds(1000)));
    armed_ = true;
    timer_.async_wait([this, alive = std::weak_ptr(alive_)](const boost::system::error_code& cancelled) {
        if (cancelled || alive.expired()) return;
        armed_ = false;
        if (uses_.empty()) return;
        check_deadlines();
        arm();
    });
}

const FabricFailure& Fabric::fail(FabricFailure failure) {
    if (failure_) return *failure_;
    failure_ = std::move(failure);
    if (listener_) listener_(*failure_);
    hurry();
    for (const auto& [peer, link] : from_) link->channel->close();
    return *failure_;
}

void Fabric::close() {
    timer_.cancel();
    armed_ = false;
    for (const auto* links : {&to_, &from_}) {
        for (const auto& [peer, link] : *links) link->channel->close();
    }
}

std::vector<Channel*> Fabric::take_idle_outgoing() {
    std::vector<Channel*> channels;
    for (const auto& [peer, link] : to_) {
        if (!std::exchange(link->used, true)) channels.push_back(link->channel.get());
    }
    return channels;
}

std::uint64_t Fabric::sent_bytes() const {
    std::uint64_t sum = 0;
    for (const auto* links : {&to_, &from_}) {
        for (const auto& [peer, link] : *links) sum += link->channel->sent_bytes();
    }
    return sum;
}

std::uint64_t Fabric::retransmits() const {
    std::uint64_t sum = 0;
    for (const auto* links : {&to_, &from_}) {
        for (const auto& [peer, link] : *links) sum += link->channel->retransmits();
    }
    return sum;
}

std::uint64_t Fabric::received_bytes() const {
    std::uint64_t sum = 0;
    for (const auto* links : {&to_, &from_}) {
        for (const auto& [peer, link] : *links) sum += link->channel->received_bytes();
    }
    return sum;
}

}  // namespace convoy
