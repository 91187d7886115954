#pragma once
/// \file
/// VGPRs for the registers of generated operations.

#include "assembly/support/result.hpp"
#include "harness/suite/emission/ptx_statement.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::harness {

/// Those that a vector instruction names.
inline constexpr std::int64_t most_vgprs = 256;

/// Consecutive VGPRs.
struct VgprRange {
    int first = 0;
    int count = 1;

    /// "v8", "v[8:9]"
    [[nodiscard]] std::string name() const;
};

/// Gives each register that a name in PTX stands for VGPRs of its own, in the order of their first
/// use. Pairs and longer ranges begin at an even number, as gfx90a and gfx942 want them. The first
/// eight VGPRs are left to the code around the operations.
class AmdRegisters {
public:
    /// Of one register, or of several that an access moves together. Refuses registers of no type
    /// that AMD's code has, and those of a longer access that have places of their own already.
    Result<void> place(const std::vector<PtxRegister>& operand);
    /// Of the address that is that many pages (`page`) behind the lane's.
    void place_page(const PtxRegister& address, std::int64_t page);

    [[nodiscard]] bool is_placed(const PtxRegister& reg) const { return ranges_.contains(reg); }
    /// Requires: placed.
    [[nodiscard]] VgprRange range_of(const std::vector<PtxRegister>& operand) const;
    [[nodiscard]] VgprRange page_of(const PtxRegister& address, std::int64_t page) const;
    using Pages = std::map<std::pair<PtxRegister, std::int64_t>, VgprRange>;
    [[nodiscard]] const Pages& pages() const { return pages_; }
    /// One more than the highest VGPR.
    [[nodiscard]] std::int64_t used() const { return next_; }

private:
    VgprRange take(int count);

    std::map<PtxRegister, VgprRange> ranges_;
    Pages pages_;
    int next_ = 8;
};

} // namespace warpbound::harness
