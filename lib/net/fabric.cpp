#include "net/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "base/error.hpp"

namespace convoy {
namespace asio = boost::asio;

namespace {

constexpr std::size_t scratch_alignment = 64;
using Links = std::map<std::int64_t, std::unique_ptr<Channel>>;

Channel& find(const Links& links, std::int64_t peer, std::string_view direction) {
    const auto found = links.find(peer);
    if (found == links.end())
        throw InternalError(fmt::format("this fabric has no link {} node {}", direction, peer));
    return *found->second;
}

}  // namespace

void Fabric::FreeAligned::operator()(std::byte* memory) const {
    ::operator delete (memory, std::align_val_t{scratch_alignment});
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
    to_[peer] = std::move(channel);
}

void Fabric::link_from(std::int64_t peer, std::unique_ptr<Channel> channel) {
    from_[peer] = std::move(channel);
}

Channel& Fabric::to(std::int64_t peer) const {
    return find(to_, peer, "to");
}

Channel& Fabric::from(std::int64_t peer) const {
    return find(from_, peer, "from");
}

std::span<std::byte> Fabric::scratch(std::size_t bytes) {
    if (bytes > scratch_bytes_) {
        scratch_.reset(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{scratch_alignment})));
        scratch_bytes_ = bytes;
    }
    return {scratch_.get(), scratch_bytes_};
}

Fabric::Watch::Watch(Fabric& fabric, std::string activity) : fabric_(fabric) {
    fabric_.watching_ = true;
    fabric_.activity_ = std::move(activity);
    if (!fabric_.armed_) fabric_.arm();
}

// The timer stays armed, to be found so by the next collective; it ends by itself where none comes.
Fabric::Watch::~Watch() {
    fabric_.watching_ = false;
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
    timer_.expires_after(std::clamp<Clock::duration>(limit / 8, milliseconds(1), milliseconds(1000)));
    armed_ = true;
    timer_.async_wait([this, alive = std::weak_ptr(alive_)](const boost::system::error_code& cancelled) {
        if (cancelled || alive.expired()) return;
        armed_ = false;
        if (!watching_) return;
        check_deadlines();
        arm();
    });
}

void Fabric::check_deadlines() {
    const auto now = Clock::now();
    const auto cutoff = hurry_until_ && now >= *hurry_until_ ? now : now - options_.deadline;
    for (const auto* links : {&to_, &from_}) {
        for (const auto& [peer, channel] : *links) channel->expire_if_stalled(cutoff, activity_);
    }
}

void Fabric::close() {
    timer_.cancel();
    armed_ = false;
    for (const auto* links : {&to_, &from_}) {
        for (const auto& [peer, channel] : *links) channel->close();
    }
}

void Fabric::close_incoming() {
    for (const auto& [peer, channel] : from_) channel->close();
}

std::vector<Channel*> Fabric::outgoing() const {
    std::vector<Channel*> channels;
    for (const auto& [peer, channel] : to_) channels.push_back(channel.get());
    return channels;
}

std::uint64_t Fabric::sent_bytes() const {
    std::uint64_t sum = 0;
    for (const auto* links : {&to_, &from_}) {
        for (const auto& [peer, channel] : *links) sum += channel->sent_bytes();
    }
    return sum;
}

std::uint64_t Fabric::received_bytes() const {
    std::uint64_t sum = 0;
    for (const auto* links : {&to_, &from_}) {
        for (const auto& [peer, channel] : *links) sum += channel->received_bytes();
    }
    return sum;
}

}  // namespace convoy
