#pragma once
/// \file
/// What holds of accesses through caches at any addresses (step S59 of docs/theory, step 8).

#include "certification/verify/memory/footprint.hpp"

namespace warpbound::certification::verify {

/// Of accesses that cannot be listed: by the numbers of lines that facts on transactions and loop
/// bounds allow. No line stays in a cache, each line access is a transaction with all sectors of
/// the line. Side: upper. Sound when: `code` has the passes of any active lanes.
Footprint footprint_at_any_addresses(const TimedCode& code, const MemoryLayout& layout);

} // namespace warpbound::certification::verify
