// Feeds arbitrary bytes to everything that reads what peers send: as a frame of a header and its payload, and
// as each kind of payload by itself. Only convoy's own errors may come out, and what is accepted must survive
// being written and read again.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <span>

#include "base/error.hpp"
#include "net/control_frames.hpp"
#include "net/frame.hpp"
#include "net/message.hpp"

namespace {

constexpr std::uint64_t limit = std::uint64_t{1} << 30U;

void require(bool holds) {
    if (!holds) std::abort();
}

template <typename Read>
void refuse_or_accept(const Read& read) {
    try {
        read();
    } catch (const convoy::DataError&) {  // refused, as garbage should be
    } catch (const convoy::DisagreementError&) {
    }
}

void read_payloads(std::span<const std::byte> payload) {
    if (payload.size() >= convoy::hello_bytes) {
        refuse_or_accept([&] {
            const auto bytes = payload.first<convoy::hello_bytes>();
            require(std::ranges::equal(convoy::encode_hello(convoy::decode_hello(bytes, "peer")), bytes));
        });
    }
    if (payload.size() >= convoy::answer_bytes) {
        refuse_or_accept([&] {
            const auto bytes = payload.first<convoy::answer_bytes>();
            require(std::ranges::equal(convoy::encode_answer(convoy::decode_answer(bytes, "peer")), bytes));
        });
    }
    if (payload.size() >= convoy::greeting_bytes) {
        refuse_or_accept([&] {
            const auto bytes = payload.first<convoy::greeting_bytes>();
            require(
                std::ranges::equal(convoy::encode_greeting(convoy::decode_greeting(bytes, "peer")), bytes));
        });
    }
    refuse_or_accept([&] {
        const auto notice = convoy::decode_failure(payload, "peer");
        require(convoy::decode_failure(convoy::encode_failure(notice), "peer") == notice);
    });
    refuse_or_accept([&] {
        const auto message = convoy::decode_message(payload, "peer");
        const auto bytes = convoy::encode_message(message);
        require(convoy::encode_message(convoy::decode_message(bytes, "peer")) == bytes);
    });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = std::as_bytes(std::span(data, size));
    read_payloads(input);
    if (size < convoy::frame_header_bytes) return 0;
    refuse_or_accept([&] {
        const auto bytes = input.first<convoy::frame_header_bytes>();
        const auto header = convoy::decode_frame_header(bytes, limit, "peer");
        require(header.payload_bytes <= limit);
        require(convoy::decode_frame_header(convoy::encode_frame_header(header), limit, "peer") == header);
        refuse_or_accept([&] {
            auto other = header;
            other.payload_bytes = size;
            convoy::check_same_exchange(header, other, "peer");
        });
        read_payloads(input.subspan(convoy::frame_header_bytes));
    });
    return 0;
}
