#pragma once
/// \file
/// Signature of a bundle. It identifies the signer; it is no evidence that a bound is true.

#include "assembly/support/result.hpp"

#include <string>

namespace warpbound::certification {

/// The content of `signature.json` for a manifest: an Ed25519 signature over its bytes (RFC 8032)
/// and the public key. `pem`: a private key as `openssl genpkey -algorithm ed25519` writes it;
/// others are refused.
Result<std::string> sign_manifest(const std::string& manifest, const std::string& pem);

} // namespace warpbound::certification
