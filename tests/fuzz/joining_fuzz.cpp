// What tells how nodes join: a file of hosts, the file of a rendezvous, addresses. Each is read or refused.

#include <sys/stat.h>

#include <cstdlib>
#include <functional>
#include <string>

#include "base/error.hpp"
#include "cluster/endpoint.hpp"
#include "cluster/host_list.hpp"
#include "cluster/rendezvous.hpp"
#include "files_of_input.hpp"

namespace {

void refuse_or_accept(const std::function<void()>& read) {
    try {
        read();
    } catch (const convoy::DataError&) {
    } catch (const convoy::UsageError&) {
    }
}

void require_hosts(const std::vector<convoy::HostSlots>& hosts) {
    for (const auto& host : hosts)
        if (host.slots < 1 || host.host.empty() || host.host.front() == '-') std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(convoy::fuzz::text_of_input(data, size));
    static const convoy::fuzz::Folder folder("joining_fuzz");
    const auto file = folder.path() / "file";
    convoy::fuzz::write(file, text);
    ::chmod(file.c_str(), S_IRUSR | S_IWUSR);
    refuse_or_accept([&] { require_hosts(convoy::read_host_file(file)); });
    refuse_or_accept([&] { require_hosts(convoy::parse_host_list(text)); });
    refuse_or_accept([&] { convoy::read_rendezvous(file); });
    refuse_or_accept([&] {
        const auto endpoint = convoy::parse_endpoint(text);
        if (convoy::parse_endpoint(convoy::endpoint_text(endpoint)) != endpoint) std::abort();
    });
    refuse_or_accept([&] { convoy::split_listen_address(text); });
    refuse_or_accept([&] { convoy::split_host_port(text); });
    return 0;
}
