#include "harness/protocol/series_key.hpp"

namespace warpbound::harness {

SeriesKey series_key(SeriesCode code, const models::Launch& launch, Quantity quantity,
                     const DeviceIdentity& device, const Protocol& protocol) {
    SeriesKey key;
    key.name = std::move(code.name);
    key.device = device.name;
    key.device_detail = device.detail;
    key.protocol = to_string(protocol);
    key.kernel_digest = std::move(code.kernel_digest);
    key.facts_digest = std::move(code.facts_digest);
    key.launch = models::to_string(launch);
    key.quantity = to_string(quantity);
    return key;
}

} // namespace warpbound::harness
