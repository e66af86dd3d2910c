#pragma once

#include <openssl/bio.h>
#include <openssl/ssl.h>

#include <memory>

#include "net/tls_context.hpp"

namespace convoy {

/// A function of OpenSSL as the deleter of a unique_ptr.
template <auto Function>
struct FreeBy {
    template <class T>
    void operator()(T* object) const {
        Function(object);
    }
};

/// Only the sources of TlsContext and TlsSession include this: OpenSSL's part of both.
struct TlsContext::State {
    std::unique_ptr<SSL_CTX, FreeBy<SSL_CTX_free>> context;
    std::unique_ptr<BIO_METHOD, FreeBy<BIO_meth_free>> wire;  ///< between a session and its TlsWire
    bool checks = false;
};

/// The methods of a BIO whose data is a session's TlsWire.
BIO_METHOD* make_wire_method();

}  // namespace convoy
