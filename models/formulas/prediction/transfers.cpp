#include "models/formulas/prediction/transfers.hpp"

#include "models/formulas/transfer.hpp"
#include "models/xml/xml_reader.hpp"

#include <fmt/core.h>

namespace warpbound::models::prediction {

std::string_view to_string(CopyDirection direction) {
    return direction == CopyDirection::HostToDevice ? "host-to-device" : "device-to-host";
}

Result<Copy> parse_copy(std::string_view text) {
    const auto sign = text.find('=');
    const std::string_view name = text.substr(0, sign);
    for (const CopyDirection direction :
         {CopyDirection::HostToDevice, CopyDirection::DeviceToHost}) {
        if (name != to_string(direction) || sign == std::string_view::npos) continue;
        const auto bytes = parse_integer(text.substr(sign + 1));
        if (bytes && *bytes >= 1 && *bytes <= most_copy_bytes) return Copy{direction, *bytes};
    }
    return Failure{fmt::format("'{}' is no copy; expected host-to-device=BYTES or "
                               "device-to-host=BYTES, of 1 to {} bytes",
                               text, most_copy_bytes)};
}

std::optional<Estimate<Seconds>> copy_time(std::span<const Copy> copies, Inputs& inputs) {
    constexpr double nano = 1e-9;
    constexpr double kilo = 1000;
    double sum = 0;
    for (const auto& [direction, bytes] : copies) {
        const auto start =
            inputs.described(fmt::format("transfers/{}-start", to_string(direction)));
        const auto bandwidth =
            inputs.described_rate(fmt::format("transfers/{}-bandwidth", to_string(direction)));
        if (!start || !bandwidth) return std::nullopt;
        const auto time = transfer::time_of(bytes, {.start = Seconds{*start * nano},
                                                    .bandwidth = *bandwidth * kilo,
                                                    .lambda = 1,
                                                    .empty = {}});
        if (!time) {
            inputs.miss(time.error().what);
            return std::nullopt;
        }
        sum += time.value().value();
    }
    return Estimate<Seconds>{sum};
}

std::optional<Estimate<Seconds>> end_to_end(Estimate<Cycles> kernel, std::span<const Copy> copies,
                                            Inputs& inputs) {
    const auto copied = copy_time(copies, inputs);
    const auto clock = inputs.described_rate("geometry/core-clock");
    if (!copied || !clock) return std::nullopt;
    return Estimate<Seconds>{copied->value() + kernel.value() / (*clock * 1000)};
}

} // namespace warpbound::models::prediction
