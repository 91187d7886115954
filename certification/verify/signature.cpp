#include "certification/verify/signature.hpp"

#include "certification/verify/bundle_json.hpp"

#include <nlohmann/json.hpp>
#include <openssl/evp.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace warpbound::certification::verify {

namespace {

struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// Nothing for other text than `size` bytes in lower-case hexadecimal.
std::optional<std::vector<unsigned char>> bytes_of(const std::string& text, std::size_t size) {
    if (text.size() != 2 * size) return std::nullopt;
    std::vector<unsigned char> bytes;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = digit(text[i]);
        const int low = digit(text[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        bytes.push_back(static_cast<unsigned char>(16 * high + low));
    }
    return bytes;
}

/// A key whose point has a small order verifies signatures that nobody made: the 8 points of the
/// torsion subgroup, by their y (RFC 8032, 5.1.3; Chalkias, Garillot and Nikolaenko 2020, table of
/// points of small order). A y that is not below 2^255 - 19 encodes a point a second time.
bool is_weak(std::vector<unsigned char> key) {
    if (key.size() != 32) return true; // no key of Ed25519
    key.back() &= 0x7FU;               // Without the sign of x.
    const std::vector<unsigned char> all_but_ends(30, 0xFF);
    if (key.back() == 0x7F && key.front() >= 0xEC && // From p - 1 on.
        std::equal(all_but_ends.begin(), all_but_ends.end(), key.begin() + 1))
        return true;
    for (const char* const y : {"0000000000000000000000000000000000000000000000000000000000000000",
                                "0100000000000000000000000000000000000000000000000000000000000000",
                                "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
                                "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"})
        if (key == bytes_of(y, key.size())) return true;
    return false;
}

bool is_valid(const std::string& message, const std::vector<unsigned char>& signature,
              const std::vector<unsigned char>& key_bytes) {
    const std::unique_ptr<EVP_PKEY, Free> key{
        EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, key_bytes.data(), key_bytes.size())};
    const std::unique_ptr<EVP_MD_CTX, Free> context{EVP_MD_CTX_new()};
    return key && EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
           EVP_DigestVerify(context.get(), signature.data(), signature.size(),
                            reinterpret_cast<const unsigned char*>(message.data()),
                            message.size()) == 1;
}

} // namespace

StepResult check_signature(const Files& files, const std::optional<std::string>& public_key) {
    const auto file = files.find("signature.json");
    if (file == files.end()) {
        if (public_key)
            return {"signature", Verdict::Incomplete,
                    "a key was given and signature.json is missing"};
        return {"signature", Verdict::NotApplicable, "the bundle is not signed"};
    }
    try {
        const auto json = read_json(file->second, "signature.json", Verdict::Tampered);
        const auto stated = json.at("public-key").get<std::string>();
        const auto key = bytes_of(stated, 32);
        const auto signature = bytes_of(json.at("signature").get<std::string>(), 64);
        if (json.at("algorithm") != "Ed25519" || !key || !signature)
            return {"signature", Verdict::Tampered, "signature.json: not an Ed25519 signature"};
        if (is_weak(*key))
            return {"signature", Verdict::Tampered,
                    "signature.json: its public key is a point of small order or not in canonical "
                    "form, so that anybody can sign for it; expected a key made for Ed25519"};
        if (public_key && *public_key != stated)
            return {"signature", Verdict::Tampered, "signed with another key, " + stated};
        if (files.count("manifest.json") == 0 ||
            !is_valid(files.at("manifest.json"), *signature, *key))
            return {"signature", Verdict::Tampered, "not a signature over this manifest"};
        return {"signature", Verdict::Holds,
                (public_key ? "by the given key " : "by a key that nobody vouched for, ") + stated};
    } catch (const Finding& finding) {
        return {"signature", finding.verdict, finding.what()};
    } catch (const nlohmann::json::exception& error) {
        return {"signature", Verdict::Tampered, std::string{"signature.json: "} + error.what()};
    }
}

} // namespace warpbound::certification::verify
