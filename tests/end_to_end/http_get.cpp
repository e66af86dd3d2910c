#include "end_to_end/http_get.hpp"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cctype>

namespace convoy::test {

std::string http_get(int port, const std::string& target) {
    using boost::asio::ip::tcp;
    boost::asio::io_context io;
    tcp::socket socket(io);
    boost::system::error_code problem;
    socket.connect({boost::asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)}, problem);
    if (problem) return "";
    const auto request = "GET " + target + " HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n";
    boost::asio::write(socket, boost::asio::buffer(request), problem);
    std::string answer;
    boost::asio::read(socket, boost::asio::dynamic_buffer(answer), problem);
    const auto head = answer.find("\r\n\r\n");
    const bool is_good =
        head != std::string::npos && answer.substr(0, answer.find("\r\n")).ends_with("200 OK");
    return is_good ? answer.substr(head + 4) : "";
}

std::string percent_encoded(const std::string& text) {
    std::string encoded;
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        encoded += std::isalnum(byte) != 0 ? std::string(1, letter) : fmt::format("%{:02X}", byte);
    }
    return encoded;
}

}  // namespace convoy::test
