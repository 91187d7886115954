#include "models/architecture/cached_loads.hpp"

#include <algorithm>
#include <optional>

namespace warpbound::models {

std::int64_t entry_of_cached_loads(const Architecture& architecture) {
    if (!architecture.has_memory_queue()) return 0;
    std::optional<std::int64_t> least;
    for (const auto opcode_class :
         {assembly::OpcodeClass::LoadGlobal, assembly::OpcodeClass::LoadLocal}) {
        const auto found = architecture.classes.find(opcode_class);
        if (found == architecture.classes.end()) continue;
        const SourcedValue* const entry = found->second.values.find("entry");
        if (entry != nullptr && entry->interval)
            least = std::min(least.value_or(entry->interval->lo), entry->interval->lo);
    }
    return least.value_or(0);
}

} // namespace warpbound::models
