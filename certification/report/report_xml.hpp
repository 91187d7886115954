#pragma once
/// \file
/// Writing elements of XML reports; included by the writers of XML only.

#include "certification/report/report.hpp"
#include "certification/report/wording.hpp"

#include <tinyxml2.h>

#include <initializer_list>
#include <string>
#include <utility>

namespace warpbound::certification {

namespace xml {

/// Adds an element with attributes; values are escaped by the library.
inline tinyxml2::XMLElement*
add(tinyxml2::XMLElement* parent, const char* name,
    std::initializer_list<std::pair<const char*, std::string>> attributes) {
    tinyxml2::XMLElement* element = parent->InsertNewChildElement(name);
    for (const auto& [attribute, value] : attributes)
        element->SetAttribute(attribute, printable(value).c_str());
    return element;
}

inline void add_text(tinyxml2::XMLElement* parent, const char* name, const std::string& text) {
    add(parent, name, {})->SetText(printable(text).c_str());
}

} // namespace xml

/// Fills an element `timing-report`.
void fill_report(tinyxml2::XMLElement* root, const Report& report);

} // namespace warpbound::certification
