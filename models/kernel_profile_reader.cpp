#include "models/kernel_profile.hpp"
#include "models/xml_reader.hpp"

namespace warpbound::models {

Result<NamedProfile> read_profile(const assembly::SourceText& source) {
    const auto document = read_xml(source, "kernel-profile");
    if (!document) return document.as_failure();
    const XmlElement& root = document.value();
    const auto known =
        check_attributes(source, root, {"name"},
                         {"arithmetic-independent", "arithmetic-dependent", "shared-loads",
                          "shared-stores", "global-loads", "global-stores", "hidden-latency"});
    if (!known) return known.as_failure();
    if (const auto leaf = check_no_children(source, root); !leaf) return leaf.as_failure();
    NamedProfile profile{.name = *root.find("name"),
                         .counts = {},
                         .hidden_latency = 0,
                         .digest = assembly::digest_of(source.text)};
    struct Field {
        std::string_view attribute;
        std::int64_t& count;
    };
    const Field fields[] = {
        {"arithmetic-independent", profile.counts.arithmetic_independent},
        {"arithmetic-dependent", profile.counts.arithmetic_dependent},
        {"shared-loads", profile.counts.shared_loads},
        {"shared-stores", profile.counts.shared_stores},
        {"global-loads", profile.counts.global_loads},
        {"global-stores", profile.counts.global_stores},
        {"hidden-latency", profile.hidden_latency},
    };
    for (const auto& field : fields) {
        if (root.find(field.attribute) == nullptr) continue;
        const auto count = integer_attribute(source, root, field.attribute, 0);
        if (!count) return count.as_failure();
        field.count = count.value();
    }
    return profile;
}

} // namespace warpbound::models
