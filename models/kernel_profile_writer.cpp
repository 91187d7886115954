#include "models/kernel_profile.hpp"
#include "models/xml_writer.hpp"

namespace warpbound::models {

std::string write_profile(const NamedProfile& profile) {
    XmlElement root;
    root.name = "kernel-profile";
    const auto add = [&root](std::string_view name, std::int64_t count) {
        root.attributes.push_back({std::string{name}, std::to_string(count)});
    };
    root.attributes.push_back({"name", profile.name});
    add("arithmetic-independent", profile.counts.arithmetic_independent);
    add("arithmetic-dependent", profile.counts.arithmetic_dependent);
    add("shared-loads", profile.counts.shared_loads);
    add("shared-stores", profile.counts.shared_stores);
    add("global-loads", profile.counts.global_loads);
    add("global-stores", profile.counts.global_stores);
    add("hidden-latency", profile.hidden_latency);
    return write_xml(root);
}

} // namespace warpbound::models
