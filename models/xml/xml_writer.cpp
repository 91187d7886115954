#include "models/xml/xml_writer.hpp"

#include <tinyxml2.h>

namespace warpbound::models {
namespace {

void print(const XmlElement& element, tinyxml2::XMLPrinter& printer) {
    printer.OpenElement(element.name.c_str());
    for (const auto& attribute : element.attributes)
        printer.PushAttribute(attribute.name.c_str(), attribute.value.c_str());
    for (const auto& child : element.children)
        print(child, printer);
    printer.CloseElement();
}

} // namespace

std::string write_xml(const XmlElement& root) {
    tinyxml2::XMLPrinter printer;
    printer.PushHeader(false, true);
    print(root, printer);
    return std::string{printer.CStr()} + "\n";
}

} // namespace warpbound::models
