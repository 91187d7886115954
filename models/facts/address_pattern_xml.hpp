#pragma once
/// \file
/// Address patterns as XML, the same in flow facts and profiles: `<pattern base thread-stride row
/// row-stride warp-stride block-stride iteration-stride footprint random/>`.

#include "models/facts/address_pattern.hpp"
#include "models/xml/xml_reader.hpp"
#include "models/xml/xml_writer.hpp"

namespace warpbound::models {

/// Refuses unknown attributes, children, bad numbers, one of `row` and `row-stride` without the
/// other, and `random` combined with strides or without a footprint.
Result<AddressPattern> read_pattern(const assembly::SourceText& source, const XmlElement& element);
/// An element that reads back to the same pattern.
XmlElement pattern_element(const AddressPattern& pattern);

} // namespace warpbound::models
