#include "cli/certification_plan.hpp"

#include "cli/multiprocessors.hpp"
#include "models/time/clock.hpp"
#include "models/xml/xml_reader.hpp"

#include <filesystem>
#include <sstream>

namespace warpbound::cli {

Result<std::vector<PlannedKernel>> read_plan(const std::string& path) {
    const auto source = assembly::read_source(path);
    if (!source) return source.as_failure();
    const auto root = models::read_xml(source.value(), "plan");
    if (!root) return root.as_failure();
    if (auto checked = models::check_attributes(source.value(), root.value(), {}); !checked)
        return checked.as_failure();
    const auto in_plan_folder = [&](const std::string& file) {
        return (std::filesystem::path{path}.parent_path() / file).string();
    };
    std::vector<PlannedKernel> kernels;
    for (const auto& element : root.value().children) {
        if (element.name != "kernel")
            return models::refuse(source.value(), element,
                                  "<" + element.name + ">: expected <kernel>");
        if (auto checked = models::check_attributes(
                source.value(), element, {"listing", "architecture", "launch"},
                {"name", "policy", "multiprocessors", "flow-facts", "source", "campaign", "cubin",
                 "trace", "clock", "assume"});
            !checked)
            return checked.as_failure();
        if (auto checked = models::check_no_children(source.value(), element); !checked)
            return checked.as_failure();
        PlannedKernel kernel;
        kernel.listing = in_plan_folder(*element.find("listing"));
        std::string& architecture = kernel.machine.architecture;
        architecture = *element.find("architecture");
        // The name may be that of a description file in the folder of the plan.
        if (std::filesystem::exists(in_plan_folder(architecture)))
            architecture = in_plan_folder(architecture);
        if (const auto* name = element.find("name")) kernel.name = *name;
        kernel.launch.launch = *element.find("launch");
        if (const auto* policy = element.find("policy")) kernel.policy = *policy;
        if (const auto* count = element.find("multiprocessors")) {
            if (const auto why = refusal_of_multiprocessors(*count); !why.empty())
                return models::refuse(source.value(), element,
                                      "multiprocessors=\"" + *count + "\": " + why);
            kernel.multiprocessors = *count;
        }
        if (const auto* facts = element.find("flow-facts"))
            kernel.flow_facts = in_plan_folder(*facts);
        if (const auto* folder = element.find("source")) kernel.source = in_plan_folder(*folder);
        if (const auto* campaign = element.find("campaign"))
            kernel.campaign = in_plan_folder(*campaign);
        if (const auto* cubin = element.find("cubin")) kernel.cubin = in_plan_folder(*cubin);
        if (const auto* trace = element.find("trace")) kernel.trace = in_plan_folder(*trace);
        if (const auto* clock = element.find("clock")) {
            if (const auto read = models::parse_clock(*clock); !read)
                return models::refuse(source.value(), element, "clock: " + read.error().what);
            kernel.clock = *clock;
        }
        if (const auto* assumed = element.find("assume")) {
            std::istringstream statements{*assumed};
            for (std::string statement; statements >> statement;)
                kernel.machine.assumed.push_back(statement);
        }
        kernels.push_back(std::move(kernel));
    }
    if (kernels.empty())
        return models::refuse(source.value(), root.value(), "a plan without kernels");
    return kernels;
}

} // namespace warpbound::cli
