// The payload of a message between launcher and worker: it is refused, or it has allowed values, and those
// that have an encoder survive being written and read again.

#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <type_traits>
#include <variant>

#include "base/error.hpp"
#include "cluster/control_messages.hpp"
#include "net/message.hpp"

namespace {

namespace messages = convoy::messages;

void require(bool holds) {
    if (!holds) std::abort();
}

void refuse_or_accept(const std::function<void()>& read) {
    try {
        read();
    } catch (const convoy::DataError&) {
    } catch (const convoy::DisagreementError&) {
    }
}

std::vector<std::byte> bytes_of(const nlohmann::json& message) {
    return convoy::encode_message(message);
}

struct WriteAgain {
    void operator()(const convoy::NodeProgress& progress) const {
        const auto message = messages::encode(progress);
        require(bytes_of(messages::encode(messages::decode_progress(message))) == bytes_of(message));
    }
    void operator()(const convoy::NodeCheckpoint& checkpoint) const {
        const auto message = messages::encode(checkpoint);
        require(bytes_of(messages::encode(messages::decode_checkpoint(message))) == bytes_of(message));
    }
    void operator()(const convoy::said::State& state) const { (*this)(state.checkpoint); }
    void operator()(const convoy::said::Agree& agree) const {
        require(messages::decode_fingerprints(messages::encode(agree.fingerprints)) == agree.fingerprints);
    }
    void operator()(const convoy::said::Failed& failed) const {
        require(failed.problem.code != convoy::ExitCode::done);
    }
    template <typename Other>
    void operator()(const Other& /*other*/) const {}
};

void read_hello(const nlohmann::json& message) {
    const auto hello = messages::decode_hello(message);
    require(hello.pid >= 1 && hello.cores >= 1 && (!hello.rank || *hello.rank >= 0));
    const auto written = messages::encode(hello);
    require(messages::encode(messages::decode_hello(written)) == written);
}

void read_assignment(const nlohmann::json& message) {
    const auto assign = messages::decode_assign(message);
    const auto& node = assign.assignment;
    require(node.rank >= 0 && node.rank < node.world_size && node.threads >= 1);
    require(node.layout_threads >= node.threads && node.generation >= 0);
    const auto written = messages::encode(assign);
    require(bytes_of(messages::encode(messages::decode_assign(written))) == bytes_of(written));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    refuse_or_accept([&] {
        const auto message = convoy::decode_message(std::as_bytes(std::span(data, size)), "peer");
        refuse_or_accept([&] { std::visit(WriteAgain{}, convoy::decode_member_message(message)); });
        refuse_or_accept([&] {
            const auto written = convoy::encode(convoy::decode_launcher_message(message));
            require(convoy::encode(convoy::decode_launcher_message(written)) == written);
        });
        refuse_or_accept([&] { read_hello(message); });
        refuse_or_accept([&] { read_assignment(message); });
        refuse_or_accept([&] { messages::decode_problem(message); });
    });
    return 0;
}
