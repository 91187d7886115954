#pragma once
/// \file
/// The file of an application (models/application/applications.xsd).

#include "assembly/support/source_text.hpp"
#include "models/application/application.hpp"

#include <string_view>

namespace warpbound::models::application {

/// Reads `<application>`. Refuses, each with its line, what the schema refuses, names that are not
/// declared before they are used, names of expressions that have no value there, links that cannot
/// connect what uses them, and kernels without a time.
Result<Application> read_application(const assembly::SourceText& source);

/// A file to begin with: every element once, with comments.
std::string_view application_template();

} // namespace warpbound::models::application
