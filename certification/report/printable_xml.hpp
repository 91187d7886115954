#pragma once
/// \file
/// XML elements whose attributes hold texts of any origin.

#include "models/xml/xml_reader.hpp"

#include <string>
#include <utility>
#include <vector>

namespace warpbound::certification {

/// Characters that XML does not have are written as `printable` does.
models::XmlElement
printable_element(std::string name,
                  const std::vector<std::pair<std::string, std::string>>& attributes);

} // namespace warpbound::certification
