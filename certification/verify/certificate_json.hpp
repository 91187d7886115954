#pragma once
/// \file
/// Control flow and path certificates of a bundle (docs/reference/evidence-format.md).

#include "certification/verify/certificate.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace warpbound::certification::verify {

/// The `blocks` of `blocks.json`. All of these throw `Finding` (incomplete) where an index names
/// nothing, and an exception of the JSON library where a value is missing or of another type.
std::vector<BlockRow> read_blocks(const nlohmann::json& table);
/// The rows of its `serialized-cfg`; `blocks`: how many blocks there are.
std::vector<SerializedBlockRow> read_copies(const nlohmann::json& table, std::size_t blocks);
/// A path certificate, of the file at `path`.
Certificate read_certificate(const nlohmann::json& table, const std::string& path,
                             std::size_t blocks);

} // namespace warpbound::certification::verify
