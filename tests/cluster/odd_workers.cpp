#include "cluster/odd_workers.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include "cluster/messages.hpp"
#include "cluster/raw_channel.hpp"

using namespace convoy::messages;

namespace {

int code_of_refusal(RawChannel& join) {
    while (true) {
        const auto answer = join.receive();
        if (type_of(answer) == type::abort) return static_cast<int>(decode_problem(answer).code);
    }
}

}  // namespace

int join_as_old_worker(const convoy::WorkerOptions& options) {
    Hello hello;
    hello.protocol = protocol - 1;
    hello.pid = 1;
    hello.fabric = "127.0.0.1:1";
    hello.rank = options.own.value().rank;
    RawChannel join(options.own->descriptor);
    join.receive();
    join.send(encode(hello));
    return code_of_refusal(join);
}

int join_unlike_proof(const convoy::WorkerOptions& options) {
    Hello hello;
    hello.pid = 1;
    hello.fabric = "127.0.0.1:1";
    hello.rank = options.rank.value();
    RawChannel join(options.launcher, options.token, -1);
    join.send(encode(hello));
    return code_of_refusal(join);
}
