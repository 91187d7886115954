/// \file
/// Signatures of a bundle's manifest.

#include "certification/bundle/canonical_json.hpp"
#include "certification/bundle/signature.hpp"
#include "tests/unit/certification/sample_bundle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <openssl/pem.h>

namespace warpbound::certification {
namespace {

using testing::HasSubstr;
using verify::Verdict;

/// A private key in PEM form whose 32 bytes are all the same.
std::string key_of(unsigned char byte) {
    const std::vector<unsigned char> raw(32, byte);
    EVP_PKEY* key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, raw.data(), raw.size());
    BIO* text = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(text, key, nullptr, nullptr, 0, nullptr, nullptr);
    char* bytes = nullptr;
    const auto size = BIO_get_mem_data(text, &bytes);
    const std::string pem(bytes, static_cast<std::size_t>(size));
    BIO_free(text);
    EVP_PKEY_free(key);
    return pem;
}

verify::Files signed_with(unsigned char byte) {
    verify::Files files = tests::plain(bundle().files);
    files["signature.json"] = sign_manifest(files.at("manifest.json"), key_of(byte)).value();
    return files;
}

std::string public_key_of(const verify::Files& files) {
    return Json::parse(files.at("signature.json")).at("public-key").get<std::string>();
}

TEST(Signature, ByTheExpectedKeyHolds) {
    const verify::Files files = signed_with(1);
    auto asked = options();
    asked.public_key = public_key_of(files);
    const auto steps = verify::verify(files, asked);
    EXPECT_EQ(tests::step_of(steps, "signature").verdict, Verdict::Holds) << text_of(steps);
    EXPECT_EQ(verify::overall(steps), Verdict::Holds) << text_of(steps);
}

TEST(Signature, ByAnotherKeyIsTampered) {
    auto asked = options();
    asked.public_key = public_key_of(signed_with(1));
    const auto steps = verify::verify(signed_with(2), asked);
    EXPECT_EQ(tests::step_of(steps, "signature").verdict, Verdict::Tampered);
    EXPECT_EQ(verify::overall(steps), Verdict::Tampered);
}

TEST(Signature, OverAnotherManifestIsTampered) {
    verify::Files files = signed_with(1);
    files["manifest.json"] += " ";
    EXPECT_EQ(tests::step_of(verify::verify(files, options()), "signature").verdict,
              Verdict::Tampered);
}

TEST(Signature, ByAKeyForWhichAnybodyCanSignIsTampered) {
    const std::string zeros(62, '0');
    const std::string ones(60, 'f');
    for (const std::string& key :
         {"00" + zeros, "01" + zeros, "ec" + ones + "7f", "ec" + ones + "ff",
          "00" + zeros.substr(2) + "80", "01" + zeros.substr(2) + "80",
          std::string{"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"},
          std::string{"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa"},
          "ee" + ones + "7f", "ff" + ones + "ff"}) {
        verify::Files files = signed_with(1);
        // R is the neutral point and S is 0: valid for every message where the key is that point.
        files["signature.json"] = canonical({{"algorithm", "Ed25519"},
                                             {"public-key", key},
                                             {"signature", "01" + std::string(126, '0')},
                                             {"signed", "manifest.json"}});
        const auto step = tests::step_of(verify::verify(files, options()), "signature");
        EXPECT_EQ(step.verdict, Verdict::Tampered) << key;
        EXPECT_THAT(step.detail, HasSubstr("small order")) << key;
    }
}

TEST(Signature, ThatIsMissingWhereAKeyIsGivenIsIncomplete) {
    auto asked = options();
    asked.public_key = std::string(64, '0');
    const auto steps = verify::verify(tests::plain(bundle().files), asked);
    EXPECT_EQ(tests::step_of(steps, "signature").verdict, Verdict::Incomplete);
}

TEST(Signature, NeedsAnEd25519Key) {
    const auto refused = sign_manifest("{}", "no key");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, HasSubstr("Ed25519"));
}

} // namespace
} // namespace warpbound::certification
