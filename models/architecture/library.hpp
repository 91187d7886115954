#pragma once
/// \file
/// The descriptions that are found by name, as text and as machines: files of the folders that are
/// searched, else those that the program was built with.

#include "assembly/support/source_text.hpp"
#include "models/architecture/architecture.hpp"

namespace warpbound::models {

/// Text of an entry of `list_architectures`. Without a path: the text that is built in.
Result<assembly::SourceText> read_description(const ArchitectureEntry& entry);
Result<Architecture> load_architecture(const ArchitectureEntry& entry);

} // namespace warpbound::models
