#include "assembly/amd/state_registers.hpp"

#include <algorithm>
#include <array>

namespace warpbound::assembly::amd {

namespace {

struct Name {
    std::string_view printed;
    std::string_view llvm;
};

constexpr std::array names{
    Name{"exec_lo", "EXEC_LO"},
    Name{"exec_hi", "EXEC_HI"},
    Name{"vcc_lo", "VCC_LO"},
    Name{"vcc_hi", "VCC_HI"},
    Name{"scc", "SCC"},
    Name{"m0", "M0"},
    Name{"mode", "MODE"},
    Name{"flat_scratch_lo", "FLAT_SCR_LO"},
    Name{"flat_scratch_hi", "FLAT_SCR_HI"},
    Name{"xnack_mask_lo", "XNACK_MASK_LO"},
    Name{"xnack_mask_hi", "XNACK_MASK_HI"},
    Name{"tba_lo", "TBA_LO"},
    Name{"tba_hi", "TBA_HI"},
    Name{"tma_lo", "TMA_LO"},
    Name{"tma_hi", "TMA_HI"},
    Name{"lds_direct", "LDS_DIRECT"},
    Name{"src_shared_base_lo", "SRC_SHARED_BASE_LO"},
    Name{"src_shared_base_hi", "SRC_SHARED_BASE_HI"},
    Name{"src_shared_limit_lo", "SRC_SHARED_LIMIT_LO"},
    Name{"src_shared_limit_hi", "SRC_SHARED_LIMIT_HI"},
    Name{"src_private_base_lo", "SRC_PRIVATE_BASE_LO"},
    Name{"src_private_base_hi", "SRC_PRIVATE_BASE_HI"},
    Name{"src_private_limit_lo", "SRC_PRIVATE_LIMIT_LO"},
    Name{"src_private_limit_hi", "SRC_PRIVATE_LIMIT_HI"},
    Name{"src_pops_exiting_wave_id", "SRC_POPS_EXITING_WAVE_ID"},
    Name{"ttmp0", "TTMP0"},
    Name{"ttmp1", "TTMP1"},
    Name{"ttmp2", "TTMP2"},
    Name{"ttmp3", "TTMP3"},
    Name{"ttmp4", "TTMP4"},
    Name{"ttmp5", "TTMP5"},
    Name{"ttmp6", "TTMP6"},
    Name{"ttmp7", "TTMP7"},
    Name{"ttmp8", "TTMP8"},
    Name{"ttmp9", "TTMP9"},
    Name{"ttmp10", "TTMP10"},
    Name{"ttmp11", "TTMP11"},
    Name{"ttmp12", "TTMP12"},
    Name{"ttmp13", "TTMP13"},
    Name{"ttmp14", "TTMP14"},
    Name{"ttmp15", "TTMP15"},
};
static_assert(names.size() == static_cast<std::size_t>(StateRegister::Trap0) + 16);

} // namespace

std::string_view state_register_name(int index) {
    return names.at(static_cast<std::size_t>(index)).printed;
}

std::optional<int> find_state_register(std::string_view llvm_name) {
    if (llvm_name == "SRC_SCC") return static_cast<int>(StateRegister::Scc);
    if (llvm_name == "SRC_VCCZ") return static_cast<int>(StateRegister::VccLo);
    if (llvm_name == "SRC_EXECZ") return static_cast<int>(StateRegister::ExecLo);
    const auto* const found = std::find_if(names.begin(), names.end(),
                                           [&](const Name& one) { return one.llvm == llvm_name; });
    if (found == names.end()) return std::nullopt;
    return static_cast<int>(found - names.begin());
}

} // namespace warpbound::assembly::amd
