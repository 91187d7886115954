#include "certification/report/printable_xml.hpp"

#include "certification/report/wording.hpp"

namespace warpbound::certification {

models::XmlElement
printable_element(std::string name,
                  const std::vector<std::pair<std::string, std::string>>& attributes) {
    models::XmlElement made;
    made.name = std::move(name);
    for (const auto& [attribute, value] : attributes)
        made.attributes.push_back({attribute, printable(value)});
    return made;
}

} // namespace warpbound::certification
