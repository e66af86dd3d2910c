#include "net/tls_context.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "net/tls_state.hpp"

namespace convoy {

namespace {

using Key = std::unique_ptr<EVP_PKEY, FreeBy<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, FreeBy<X509_free>>;

constexpr long day_s = 24L * 60 * 60;

void require_tls(bool done) {
    if (done) return;
    const char* why = ERR_reason_error_string(ERR_peek_last_error());
    throw InternalError(fmt::format("OpenSSL makes no context for TLS: {}", why == nullptr ? "?" : why));
}

/// A certificate that nobody signed but its own key. Nobody checks it.
void make_certificate(SSL_CTX* context) {
    const Key key(EVP_EC_gen("P-256"));
    const Certificate made(X509_new());
    require_tls(key && made);
    auto* name = X509_get_subject_name(made.get());
    const auto* text = reinterpret_cast<const unsigned char*>("convoy");
    require_tls(X509_set_version(made.get(), X509_VERSION_3) == 1 &&
                ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1) == 1 &&
                X509_gmtime_adj(X509_getm_notBefore(made.get()), -day_s) != nullptr &&
                X509_gmtime_adj(X509_getm_notAfter(made.get()), 365 * day_s) != nullptr &&
                X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0) == 1 &&
                X509_set_issuer_name(made.get(), name) == 1 && X509_set_pubkey(made.get(), key.get()) == 1 &&
                X509_sign(made.get(), key.get(), EVP_sha256()) > 0);
    require_tls(SSL_CTX_use_certificate(context, made.get()) == 1 &&
                SSL_CTX_use_PrivateKey(context, key.get()) == 1);
}

struct stat require_file(const std::string& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0)
        throw MissingFileError(fmt::format("{}: {}", path, std::strerror(errno)));
    return found;
}

void require_in_file(bool done, const std::string& path, std::string_view what) {
    if (done) return;
    const char* why = ERR_reason_error_string(ERR_peek_last_error());
    throw DataError(fmt::format("{}: has no {} in PEM's form that can be used: {}", path, what,
                                why == nullptr ? "?" : why));
}

void take_certificate(SSL_CTX* context, const TlsFiles& files) {
    require_file(files.certificate);
    require_in_file(SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) == 1,
                    files.certificate, "certificate");
    if ((require_file(files.key).st_mode & S_IRWXO) != 0)
        throw UsageError(
            fmt::format("{}: everybody may read this private key; type chmod 600 {}", files.key, files.key));
    require_in_file(SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) == 1, files.key,
                    "private key of the certificate");
    // A key of another type goes into a place of its own, which has no certificate.
    require_in_file(SSL_CTX_check_private_key(context) == 1, files.key, "private key of the certificate");
}

/// A key with a password is refused: there may be nobody at a terminal.
int no_password(char* /*into*/, int /*size*/, int /*writing*/, void* /*user*/) {
    return 0;
}

}  // namespace

TlsContext::TlsContext(const TlsFiles& files) {
    if (files.certificate.empty() != files.key.empty())
        throw InternalError("a certificate for TLS goes with its key");
    ERR_clear_error();
    auto state = std::make_shared<State>();
    state->context.reset(SSL_CTX_new(TLS_method()));
    state->wire.reset(make_wire_method());
    auto* context = state->context.get();
    require_tls(context != nullptr && state->wire != nullptr);
    require_tls(SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1 &&
                SSL_CTX_set_ciphersuites(context,
                                         "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:"
                                         "TLS_CHACHA20_POLY1305_SHA256") == 1 &&
                SSL_CTX_set_num_tickets(context, 0) == 1);
    SSL_CTX_set_mode(context, SSL_MODE_NO_AUTO_CHAIN);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_default_passwd_cb(context, no_password);
    if (files.certificate.empty()) {
        make_certificate(context);
    } else {
        take_certificate(context, files);
    }
    state->checks = !files.authority.empty();
    if (state->checks) {
        require_file(files.authority);
        require_in_file(SSL_CTX_load_verify_file(context, files.authority.c_str()) == 1, files.authority,
                        "certificate of an authority");
    }
    state_ = std::move(state);
}

bool TlsContext::checks_certificates() const {
    return state_->checks;
}

}  // namespace convoy
