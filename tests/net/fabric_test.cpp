#include "net/fabric.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <memory>

using namespace convoy;

namespace {

/// A channel that moves nothing, and had to send so many segments again.
class LossyChannel : public Channel {
  public:
    explicit LossyChannel(std::uint64_t retransmits) : Channel("node 1") { count_retransmits(retransmits); }
    boost::asio::awaitable<void> write(std::span<const std::byte>, std::span<const std::byte>) override {
        co_return;
    }
    boost::asio::awaitable<void> read(std::span<std::byte>) override { co_return; }
    boost::asio::awaitable<std::size_t> read_some_more(std::span<std::byte>, std::span<std::byte>) override {
        co_return 0;
    }
    void close() override {}
};

}  // namespace

TEST_CASE("a fabric adds up the segments that its channels had to send again") {
    boost::asio::io_context context;
    Fabric fabric(context.get_executor(), 0, 3);
    CHECK(fabric.retransmits() == 0);
    fabric.link_to(1, std::make_unique<LossyChannel>(3));
    fabric.link_from(1, std::make_unique<LossyChannel>(4));
    fabric.link_to(2, std::make_unique<LossyChannel>(5));
    CHECK(fabric.retransmits() == 12);
}
