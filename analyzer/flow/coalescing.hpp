#pragma once
/// \file
/// Coalescing analysis: memory transactions of global accesses and bank-conflict degrees of shared
/// accesses, from the addresses of the threads (S32).

#include "analyzer/flow/uniformity.hpp"
#include "analyzer/value/thread_states.hpp"
#include "models/architecture/architecture.hpp"
#include "models/facts/address_pattern.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace warpbound::analyzer {

/// Transactions of one access; of a shared access, its bank-conflict degree.
struct DerivedTransactions {
    std::size_t instruction = 0;
    models::PassRange transactions;
    /// Of a global store, where the write buffer drains by sectors (C94): those that it touches, at
    /// most; 0: nothing follows.
    std::int64_t most_sectors = 0;
    /// E.g. "adjacent lanes are 4 bytes apart; the address of the first lane is not known".
    std::string reason;
    friend bool operator==(const DerivedTransactions&, const DerivedTransactions&) = default;
};

struct CoalescingFacts {
    /// By instruction. For accesses that are left out nothing follows.
    std::vector<DerivedTransactions> transactions;
    /// Values that the description lacks for accesses that are left out: "memories/l1/line".
    std::set<std::string> missing;
};

/// Transactions of shared and global accesses. The lower ends are 1 wherever a lane may be
/// inactive. Sound when (S32): each access is aligned to its bytes per lane, as the machine
/// requires; for global accesses, the addresses of an access's lanes lie within less than 4 GiB.
CoalescingFacts derive_transactions(const ThreadStates& states,
                                    const InstructionUniformity& uniformity,
                                    const models::Architecture& architecture);

} // namespace warpbound::analyzer
