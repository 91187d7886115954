// A result that may be a refusal cannot be dropped.
#include "models/launch/launch.hpp"

namespace {

[[maybe_unused]] void launch() {
#ifdef WARPBOUND_CORRECT
    const auto read = warpbound::models::parse_launch("1x32");
    if (!read) return;
#else
    warpbound::models::parse_launch("1x32");
#endif
}

} // namespace
