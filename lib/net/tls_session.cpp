#include "net/tls_session.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "net/tls_state.hpp"

namespace convoy {

namespace {

/// The most that one record holds (RFC 8446, 5.1).
constexpr std::size_t record_bytes = std::size_t{1} << 14U;
/// The room for bytes that arrive. A stranger gets little of it.
constexpr std::size_t room_of_stranger = record_bytes, room_of_peer = TlsSession::piece_bytes;
constexpr std::string_view binding_label = "EXPORTER-Channel-Binding";
/// The reasons of errors that are alerts of the other side begin here.
constexpr int first_alert = SSL_AD_REASON_OFFSET;

SSL* as_ssl(void* ssl) {
    return static_cast<SSL*>(ssl);
}

std::string_view text_of_error(unsigned long error) {
    const char* reason = ERR_reason_error_string(error);
    return reason == nullptr ? "unknown error" : reason;
}

int read_from_wire(BIO* bio, char* into, std::size_t size, std::size_t* read) {
    auto& wire = *static_cast<TlsWire*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    *read = std::min(size, wire.in_end - wire.in_begin);
    if (*read == 0) {
        BIO_set_retry_read(bio);
        return 0;
    }
    std::memcpy(into, wire.in.data() + wire.in_begin, *read);
    wire.in_begin += *read;
    return 1;
}

int write_to_wire(BIO* bio, const char* bytes, std::size_t size, std::size_t* written) {
    auto& wire = *static_cast<TlsWire*>(BIO_get_data(bio));
    const auto* first = reinterpret_cast<const std::byte*>(bytes);
    auto& out = wire.is_late ? wire.late : wire.out;
    out.insert(out.end(), first, first + size);
    *written = size;
    return 1;
}

/// While it lives, what OpenSSL writes waits for the next encrypt.
class Late {
  public:
    explicit Late(TlsWire& wire) : wire_(wire) { wire_.is_late = true; }
    Late(const Late&) = delete;
    Late& operator=(const Late&) = delete;
    Late(Late&&) = delete;
    Late& operator=(Late&&) = delete;
    ~Late() { wire_.is_late = false; }

  private:
    TlsWire& wire_;
};

/// OpenSSL flushes what needs no flushing here, and asks for what there is not.
long control_wire(BIO* /*bio*/, int command, long /*number*/, void* /*pointer*/) {
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

[[noreturn]] void throw_tls_error(SSL* ssl) {
    const auto error = ERR_get_error();
    const int reason = ERR_GET_REASON(error);
    if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED)
        throw CertificateError(fmt::format("its certificate is refused: {}; see --tls-ca",
                                           X509_verify_cert_error_string(SSL_get_verify_result(ssl))));
    if (reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE)
        throw CertificateError("it shows no certificate; see --tls-certificate");
    if (reason >= first_alert)
        throw CertificateError(fmt::format("it refuses the handshake of TLS: {}", text_of_error(error)));
    if (reason == SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC)
        throw TlsError("bytes were changed on their way here; is somebody between the two?");
    throw TlsError(fmt::format("does not speak TLS 1.3: {}", text_of_error(error)));
}

}  // namespace

BIO_METHOD* make_wire_method() {
    auto* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "convoy");
    if (method == nullptr || BIO_meth_set_read_ex(method, read_from_wire) != 1 ||
        BIO_meth_set_write_ex(method, write_to_wire) != 1 || BIO_meth_set_ctrl(method, control_wire) != 1)
        throw InternalError("OpenSSL takes no stream of bytes");
    return method;
}

void TlsSession::Free::operator()(void* ssl) const {
    SSL_free(as_ssl(ssl));
}

TlsSession::TlsSession(TlsContext context, TlsSide side, const std::string& host, std::uint64_t key_bytes)
    : context_(std::move(context)),
      wire_(std::make_unique<TlsWire>()),
      ssl_(SSL_new(context_.state_->context.get())),
      key_bytes_(key_bytes),
      key_left_(key_bytes) {
    auto* ssl = as_ssl(ssl_.get());
    auto* wire = BIO_new(context_.state_->wire.get());
    if (ssl == nullptr || wire == nullptr) throw InternalError("OpenSSL makes no session of TLS");
    BIO_set_data(wire, wire_.get());
    BIO_set_init(wire, 1);
    SSL_set_bio(ssl, wire, wire);
    wire_->in.resize(room_of_stranger);
    if (side == TlsSide::acceptor) {
        SSL_set_accept_state(ssl);
        if (context_.checks_certificates())
            SSL_set_verify(ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
        return;
    }
    SSL_set_connect_state(ssl);
    if (!context_.checks_certificates()) return;
    SSL_set_verify(ssl, SSL_VERIFY_PEER, nullptr);
    auto* wanted = SSL_get0_param(ssl);
    X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) == 1) return;
    if (host.empty() || X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), host.size()) != 1)
        throw InternalError(fmt::format("'{}' is no name that a certificate can have", host));
}

bool TlsSession::shake_hands() {
    auto* ssl = as_ssl(ssl_.get());
    ERR_clear_error();
    const int done = SSL_do_handshake(ssl);
    if (done == 1) {
        wire_->in.resize(room_of_peer);
        return true;
    }
    if (SSL_get_error(ssl, done) == SSL_ERROR_WANT_READ) return false;
    throw_tls_error(ssl);
}

TlsBinding TlsSession::binding() const {
    TlsBinding binding{};
    auto* into = reinterpret_cast<unsigned char*>(binding.data());
    if (SSL_export_keying_material(as_ssl(ssl_.get()), into, binding.size(), binding_label.data(),
                                   binding_label.size(), nullptr, 0, 0) != 1)
        throw InternalError("OpenSSL exports no key of a session of TLS");
    return binding;
}

bool TlsSession::write(std::span<const std::byte> plain) {
    if (plain.empty()) return true;
    auto* ssl = as_ssl(ssl_.get());
    wire_->out.insert(wire_->out.end(), wire_->late.begin(), wire_->late.end());
    wire_->late.clear();
    ERR_clear_error();
    if (key_left_ < plain.size()) {
        SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED);
        key_left_ = key_bytes_;
    }
    key_left_ -= std::min<std::uint64_t>(key_left_, plain.size());
    std::size_t written = 0;
    // The wire takes everything, so it is written at once.
    return SSL_write_ex(ssl, plain.data(), plain.size(), &written) == 1 && written == plain.size();
}

bool TlsSession::encrypt(std::span<const std::byte> first, std::span<const std::byte> second) {
    if (!first.empty() && first.size() < record_bytes && !second.empty()) {
        const auto taken = std::min(second.size(), record_bytes - first.size());
        together_.assign(first.begin(), first.end());
        together_.insert(together_.end(), second.begin(),
                         second.begin() + static_cast<std::ptrdiff_t>(taken));
        first = together_;
        second = second.subspan(taken);
    }
    return write(first) && write(second);
}

std::span<const std::byte> TlsSession::outgoing() const {
    return std::span(wire_->out).subspan(wire_->out_begin);
}

void TlsSession::sent(std::size_t bytes) {
    wire_->out_begin += bytes;
    if (wire_->out_begin < wire_->out.size()) return;
    wire_->out.clear();
    wire_->out_begin = 0;
}

std::span<std::byte> TlsSession::room() {
    wire_->in_begin = wire_->in_end = 0;
    return wire_->in;
}

void TlsSession::arrived(std::size_t bytes) {
    wire_->in_end = bytes;
}

std::size_t TlsSession::decrypt(std::span<std::byte> into) {
    auto* ssl = as_ssl(ssl_.get());
    const Late late(*wire_);
    std::size_t done = 0;
    while (done < into.size()) {
        ERR_clear_error();
        std::size_t count = 0;
        const int read = SSL_read_ex(ssl, into.data() + done, into.size() - done, &count);
        if (read == 1) {
            done += count;
            continue;
        }
        const int problem = SSL_get_error(ssl, read);
        if (problem == SSL_ERROR_WANT_READ) break;
        if (problem != SSL_ERROR_ZERO_RETURN) throw_tls_error(ssl);
        ended_ = true;
        break;
    }
    return done;
}

}  // namespace convoy
