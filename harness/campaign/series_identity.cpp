#include "harness/campaign/series_identity.hpp"

#include "harness/protocol/quantity.hpp"
#include "harness/simulated_identity.hpp"

namespace warpbound::harness {

models::LaunchIdentity identity_of(const SeriesKey& key) {
    models::LaunchIdentity identity{.kernel_digest = key.kernel_digest};
    // A profiler shows a name, not the symbol.
    if (key.quantity != profiled_time) identity.kernel = key.name;
    if (auto launch = models::parse_launch(key.launch)) identity.launch = std::move(launch).value();
    if (!key.device.starts_with(simulated_prefix)) return identity;
    if (auto detail = parse_simulated_detail(key.device_detail)) {
        identity.machine_digest = std::move(detail->description);
        identity.policy = std::move(detail->policy);
        identity.multiprocessors = detail->multiprocessors;
    }
    return identity;
}

} // namespace warpbound::harness
