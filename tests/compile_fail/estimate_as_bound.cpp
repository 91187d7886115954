// An estimate cannot stand where a bound is due.
#include "models/bounds.hpp"
#include "models/estimate.hpp"
#include "models/units.hpp"

namespace {

using namespace warpbound::models;

[[maybe_unused]] Bounds<Cycles> claim() {
#ifdef WARPBOUND_CORRECT
    return Bounds<Cycles>{1_cycles, 2_cycles};
#else
    return Estimate<Cycles>{1.5};
#endif
}

} // namespace
