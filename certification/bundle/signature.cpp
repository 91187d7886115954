#include "certification/bundle/signature.hpp"

#include "certification/bundle/canonical_json.hpp"

#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <array>
#include <memory>

namespace warpbound::certification {

namespace {

struct Free {
    void operator()(BIO* bio) const { BIO_free(bio); }
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

std::string hexadecimal(const unsigned char* bytes, std::size_t size) {
    constexpr const char* digits = "0123456789abcdef";
    std::string text;
    for (std::size_t i = 0; i < size; ++i) {
        text += digits[bytes[i] >> 4U];
        text += digits[bytes[i] & 15U];
    }
    return text;
}

} // namespace

Result<std::string> sign_manifest(const std::string& manifest, const std::string& pem) {
    const std::unique_ptr<BIO, Free> text{
        BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))};
    // Without a pass phrase: a protected key is refused rather than asked about.
    const std::unique_ptr<EVP_PKEY, Free> key{PEM_read_bio_PrivateKey(
        text.get(), nullptr, [](char*, int, int, void*) { return 0; }, nullptr)};
    if (!key || EVP_PKEY_base_id(key.get()) != EVP_PKEY_ED25519)
        return Failure{"an Ed25519 private key in PEM form without a pass phrase was expected",
                       "--sign"};
    std::array<unsigned char, 32> public_key{};
    std::size_t key_size = public_key.size();
    std::array<unsigned char, 64> signature{};
    std::size_t size = signature.size();
    const std::unique_ptr<EVP_MD_CTX, Free> context{EVP_MD_CTX_new()};
    if (EVP_PKEY_get_raw_public_key(key.get(), public_key.data(), &key_size) != 1 ||
        EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1 ||
        EVP_DigestSign(context.get(), signature.data(), &size,
                       reinterpret_cast<const unsigned char*>(manifest.data()),
                       manifest.size()) != 1)
        return Failure{"the manifest could not be signed", "--sign"};
    return canonical({{"algorithm", "Ed25519"},
                      {"signed", "manifest.json"},
                      {"public-key", hexadecimal(public_key.data(), key_size)},
                      {"signature", hexadecimal(signature.data(), size)}});
}

} // namespace warpbound::certification
