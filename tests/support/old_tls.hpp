#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace convoy::test {

/// The first bytes of somebody who speaks at most TLS 1.2.
inline std::vector<std::byte> hello_of_tls_1_2() {
    const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()),
                                                                    SSL_CTX_free);
    SSL_CTX_set_max_proto_version(context.get(), TLS1_2_VERSION);
    const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context.get()), SSL_free);
    auto* out = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl.get(), BIO_new(BIO_s_mem()), out);
    SSL_set_connect_state(ssl.get());
    SSL_do_handshake(ssl.get());
    char* first = nullptr;
    const auto size = static_cast<std::size_t>(BIO_get_mem_data(out, &first));
    const auto bytes = std::as_bytes(std::span(first, size));
    return {bytes.begin(), bytes.end()};
}

}  // namespace convoy::test
