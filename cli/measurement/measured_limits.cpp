/// \file
/// `measure --limits`: the largest launches that a device accepts.

#include "cli/measurement/measured_limits.hpp"

#include "cli/output/json.hpp"
#include "harness/suite/launch_limits.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpbound::cli {

Exit show_limits(const std::string& device_name, const std::string& policy,
                 const std::string& format) {
    const auto device = harness::open_device(device_name, policy);
    if (!device) return refuse(device.error());
    if (device.value()->replays())
        return refuse(Failure{"limits are found by launching kernels; a recording cannot launch",
                              device_name});
    const auto limits = harness::find_launch_limits(*device.value());
    if (!limits) return refuse(limits.error());
    Json list = Json::array();
    std::string csv = "axis,largest,launches-tried\n";
    std::string text =
        fmt::format("the largest launches that {} accepts, one axis at a time\n\n", device_name);
    for (const auto& [axis, largest, refusal, tried] : limits.value()) {
        list.push_back({{"axis", axis},
                        {"largest", largest},
                        {"refusal-of-more", refusal.empty() ? Json() : Json(refusal)},
                        {"launches-tried", tried}});
        csv += fmt::format("{},{},{}\n", axis, largest, tried);
        text += fmt::format("{:<14} {:>11}  {}\n", axis, largest,
                            refusal.empty() ? "no larger value was tried" : "above: " + refusal);
    }
    if (format == "json")
        return write_result(
            json_text("launch-limits", {{"device", device_name}, {"limits", list}}));
    return write_result(format == "csv" ? csv : text);
}

} // namespace warpbound::cli
