#include "cluster/old_worker.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include "cluster/messages.hpp"
#include "cluster/raw_channel.hpp"

int join_as_old_worker(const convoy::WorkerOptions& options) {
    using namespace convoy::messages;
    Hello hello;
    hello.protocol = protocol - 1;
    hello.pid = 1;
    hello.fabric = "127.0.0.1:1";
    hello.rank = options.own.value().rank;
    RawChannel join(options.own->descriptor);
    join.receive();
    join.send(encode(hello));
    while (true) {
        const auto answer = join.receive();
        if (type_of(answer) == type::abort) return static_cast<int>(decode_problem(answer).code);
    }
}
