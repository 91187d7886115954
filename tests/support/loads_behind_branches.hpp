#pragma once
/// \file
/// Kernels whose loads of a few affine addresses stand behind branches that indices of threads and
/// blocks decide, or data.

#include "tests/support/random_listing.hpp"

#include <cstdint>
#include <string>

namespace warpbound::tests {

/// Writes computed conditions, guards, early ends, branches and loops around loads of two
/// addresses that are affine forms of the indices. Words of constant bank 0 from `first_argument`
/// on are read; pairs of words at `data_argument` and 8 bytes behind it are the addresses of
/// buffers, and at `flags_argument` that of words that decide.
class LoadsBehindBranches : private RandomListing {
public:
    static constexpr std::int64_t first_argument = 0x160;
    static constexpr std::int64_t last_argument = 0x16c;
    static constexpr std::int64_t data_argument = 0x178;
    static constexpr std::int64_t flags_argument = 0x188;
    static constexpr std::int64_t flags = 64;      ///< Words.
    static constexpr std::int64_t last_factor = 8; ///< Words that an index adds at most.

    /// By which word a load whose address is in this register is addressed.
    static std::int64_t pointer_in(int reg) {
        constexpr int first = 12;
        return reg == first ? data_argument : reg == first + 2 ? data_argument + 8 : flags_argument;
    }

    explicit LoadsBehindBranches(RandomSource& random_source) : RandomListing{random_source} {}

    /// A listing of sm_75 with control fields.
    std::string write();

private:
    std::string limit();
    std::string number();
    std::string temporary();
    std::string word();
    std::string predicate();
    std::string signed_predicate();

    void begin();
    void addresses();
    void compute();
    void condition(const std::string& into);
    void load(std::int64_t which);
    void store();
    void statements(int depth, std::int64_t count);
    void branch(int depth);
    void loop(int depth);

    bool stores_ = false;              ///< To the second buffer.
    std::string modifiers_ = ".E.SYS"; ///< Of loads of the first one.
};

} // namespace warpbound::tests
