#pragma once
/// \file
/// Text of an XML document that `read_xml` reads back to the same elements.

#include "models/xml/xml_reader.hpp"

namespace warpbound::models {

/// Indented, one element a line, attributes in the order given.
std::string write_xml(const XmlElement& root);

} // namespace warpbound::models
