// Ticks of different clocks do not add.
#include "models/units.hpp"

namespace {

using namespace warpbound::models;

[[maybe_unused]] Cycles sum() {
#ifdef WARPBOUND_CORRECT
    return 1_cycles + 2_cycles;
#else
    return 1_cycles + 2_memory_cycles;
#endif
}

} // namespace
