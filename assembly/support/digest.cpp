#include "assembly/support/digest.hpp"

#include "assembly/support/source_text.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace warpbound::assembly {

struct Digest::State {
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(),
                                                                    &EVP_MD_CTX_free};
};

namespace {

void expect_success(bool succeeded) {
    if (!succeeded) throw std::runtime_error{"SHA-256 is not available"};
}

} // namespace

Digest::Digest() : state_{std::make_unique<State>()} {
    expect_success(state_->context != nullptr &&
                   EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr) == 1);
}

Digest::~Digest() = default;

void Digest::add(std::string_view bytes) {
    expect_success(EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) == 1);
}

std::string Digest::text() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    expect_success(EVP_DigestFinal_ex(state_->context.get(), digest.data(), &size) == 1);
    constexpr const char* digits = "0123456789abcdef";
    std::string text = "sha256:";
    for (unsigned int i = 0; i < size; ++i) {
        text += digits[digest[i] >> 4U];
        text += digits[digest[i] & 15U];
    }
    return text;
}

std::string digest_of(const std::string& bytes) {
    Digest digest;
    digest.add(bytes);
    return digest.text();
}

} // namespace warpbound::assembly
