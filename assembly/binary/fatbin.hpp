#pragma once
/// \file
/// Images in a CUDA fat binary, by itself or embedded in a host program.

#include "assembly/isa/target.hpp"
#include "assembly/support/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::assembly {

enum class ImageKind { Ptx, Cubin };

/// One image: code or PTX for a target.
struct FatbinImage {
    ImageKind kind = ImageKind::Cubin;
    int sm = 0;                 ///< 80 for sm_80 or compute_80.
    bool is_compressed = false; ///< Its bytes are then of no use here.
    std::string_view bytes{};
};

/// Whether the bytes begin as a fat binary does.
bool is_fatbin(std::string_view bytes);

/// The images of one or more fat binaries, one after the other. Refuses what ends early.
Result<std::vector<FatbinImage>> read_fatbins(std::string_view bytes);

/// The images that a host ELF file embeds (section .nv_fatbin). Refuses a file without them.
Result<std::vector<FatbinImage>> read_host_elf(std::string_view bytes);

} // namespace warpbound::assembly
