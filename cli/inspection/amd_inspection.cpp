#include "cli/inspection/amd_inspection.hpp"

#include "assembly/amd/outstanding.hpp"
#include "cli/program/command.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace warpbound::cli {

std::vector<InspectedWait> waits_of(const assembly::Function& function, std::size_t first,
                                    std::size_t last) {
    std::vector<InspectedWait> waits;
    assembly::amd::Outstanding outstanding{function.target};
    for (std::size_t index = first; index <= last; ++index) {
        const auto& instruction = function.instructions[index];
        const auto returned = outstanding.step(index, instruction);
        const auto counts = assembly::amd::wait_of(instruction, function.target);
        if (!counts) continue;
        InspectedWait wait{instruction.address, to_string(*counts), {}};
        for (const auto& one : returned)
            wait.returned.push_back(function.instructions[one.instruction].address);
        std::sort(wait.returned.begin(), wait.returned.end());
        wait.returned.erase(std::unique(wait.returned.begin(), wait.returned.end()),
                            wait.returned.end());
        waits.push_back(std::move(wait));
    }
    return waits;
}

std::string resource_text(const harness::toolchain::AmdResources& resources) {
    std::string out;
    if (resources.agprs) out += fmt::format(", {} AGPRs", *resources.agprs);
    if (resources.sgprs) out += fmt::format(", {} SGPRs", *resources.sgprs);
    out += fmt::format(", {} vector registers allocated, wavefronts of {} lanes",
                       resources.allocated_vgprs, resources.lanes);
    if (resources.max_workgroup)
        out += fmt::format(", work-groups of at most {}", *resources.max_workgroup);
    return out;
}

Json resource_json(const harness::toolchain::AmdResources& resources) {
    const auto number = [](const std::optional<std::int64_t>& value) {
        return value ? Json(*value) : Json(nullptr);
    };
    return {{"wavefront-lanes", resources.lanes},
            {"scalar-registers", number(resources.sgprs)},
            {"accumulation-registers", number(resources.agprs)},
            {"allocated-vector-registers", resources.allocated_vgprs},
            {"largest-work-group", number(resources.max_workgroup)}};
}

std::string wait_text(const std::vector<InspectedWait>& waits) {
    std::string out;
    for (const InspectedWait& wait : waits) {
        out += fmt::format("  {}  {:<24}", hexadecimal(wait.address), wait.counters);
        for (const std::int64_t address : wait.returned)
            out += fmt::format(" {}", hexadecimal(address));
        out += wait.returned.empty() ? " none of its block\n" : "\n";
    }
    return out;
}

Json wait_json(const std::vector<InspectedWait>& waits) {
    Json out = Json::array();
    for (const InspectedWait& wait : waits) {
        Json returned = Json::array();
        for (const std::int64_t address : wait.returned)
            returned.push_back(hexadecimal(address));
        out.push_back({{"address", hexadecimal(wait.address)},
                       {"counters", wait.counters},
                       {"returned", returned}});
    }
    return out;
}

} // namespace warpbound::cli
