// A count of warps is no count of thread blocks: the demand of a launch is not that of its blocks.
#include "analyzer/launch/launch_geometry.hpp"

namespace {

using namespace warpbound;

[[maybe_unused]] analyzer::LaunchGeometry with_all_at_once(const analyzer::LaunchGeometry& shape) {
#ifdef WARPBOUND_CORRECT
    return shape.one_multiprocessor(shape.blocks);
#else
    return shape.one_multiprocessor(shape.warps());
#endif
}

} // namespace
