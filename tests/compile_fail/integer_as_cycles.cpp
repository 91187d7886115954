// A number becomes cycles only where somebody says so.
#include "models/units.hpp"

namespace {

using namespace warpbound::models;

[[maybe_unused]] Cycles latency() {
#ifdef WARPBOUND_CORRECT
    return Cycles{18};
#else
    return 18;
#endif
}

} // namespace
