#include "support/certificates.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <utility>

namespace convoy {

namespace test_certificates {

template <auto Function>
struct FreeWith {
    template <class T>
    void operator()(T* object) const {
        Function(object);
    }
};
using TestKey = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;
using TestCertificate = std::unique_ptr<X509, FreeWith<X509_free>>;
using OpenFile = std::unique_ptr<std::FILE, FreeWith<std::fclose>>;

}  // namespace test_certificates
using namespace test_certificates;

namespace {

void must(bool done) {
    if (!done) throw std::runtime_error("OpenSSL makes no certificate for a test");
}

void add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    const std::unique_ptr<X509_EXTENSION, FreeWith<X509_EXTENSION_free>> made(
        X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
    must(made && X509_add_ext(certificate, made.get(), -1) == 1);
}

/// issuer, issuer_key: null: it signs itself.
TestCertificate make(EVP_PKEY* key, const std::string& name, X509* issuer, EVP_PKEY* issuer_key,
                     const std::string& names, bool valid) {
    TestCertificate made(X509_new());
    auto* subject = X509_get_subject_name(made.get());
    const auto* text = reinterpret_cast<const unsigned char*>(name.c_str());
    must(X509_set_version(made.get(), X509_VERSION_3) == 1 &&
         ASN1_INTEGER_set(X509_get_serialNumber(made.get()), issuer == nullptr ? 1 : 2) == 1 &&
         X509_gmtime_adj(X509_getm_notBefore(made.get()), -7200) != nullptr &&
         X509_gmtime_adj(X509_getm_notAfter(made.get()), valid ? 7200 : -3600) != nullptr &&
         X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, text, -1, -1, 0) == 1 &&
         X509_set_issuer_name(made.get(), issuer == nullptr ? subject : X509_get_subject_name(issuer)) == 1 &&
         X509_set_pubkey(made.get(), key) == 1);
    if (issuer == nullptr) {
        add_extension(made.get(), made.get(), NID_basic_constraints, "critical,CA:TRUE");
    } else {
        add_extension(made.get(), issuer, NID_subject_alt_name, names);
    }
    must(X509_sign(made.get(), issuer == nullptr ? key : issuer_key, EVP_sha256()) > 0);
    return made;
}

void write_certificate(const std::filesystem::path& file, X509* certificate) {
    const OpenFile out(std::fopen(file.c_str(), "w"));
    must(out && PEM_write_X509(out.get(), certificate) == 1);
}

void write_key(const std::filesystem::path& file, EVP_PKEY* key) {
    const OpenFile out(std::fopen(file.c_str(), "w"));
    must(out && ::fchmod(::fileno(out.get()), S_IRUSR | S_IWUSR) == 0 &&
         PEM_write_PrivateKey(out.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
}

}  // namespace

struct TestAuthority::Signer {
    TestKey key{EVP_EC_gen("P-256")};
    TestCertificate certificate;
};

TestAuthority::TestAuthority(std::filesystem::path folder, std::string name)
    : folder_(std::move(folder)), name_(std::move(name)), signer_(std::make_unique<Signer>()) {
    signer_->certificate = make(signer_->key.get(), name_, nullptr, nullptr, "", true);
    write_certificate(certificate(), signer_->certificate.get());
}

TestAuthority::~TestAuthority() = default;

std::string TestAuthority::certificate() const {
    return (folder_ / (name_ + ".pem")).string();
}

TestAuthority::Files TestAuthority::issue(const std::string& file, const std::string& names,
                                          bool valid) const {
    const Files files{.certificate = (folder_ / (file + ".pem")).string(),
                      .key = (folder_ / (file + ".key")).string()};
    const TestKey key(EVP_EC_gen("P-256"));
    write_certificate(
        files.certificate,
        make(key.get(), file, signer_->certificate.get(), signer_->key.get(), names, valid).get());
    write_key(files.key, key.get());
    return files;
}

void write_rsa_key(const std::filesystem::path& file) {
    write_key(file, TestKey(EVP_RSA_gen(2048)).get());
}

}  // namespace convoy
