#include "certification/bundle/shown_data.hpp"

#include "certification/verify/memory/loaded_data.hpp"

namespace warpbound::certification {

verify::LoadedDataRow row_of(const analyzer::LoadedUnits& loaded) {
    verify::LoadedDataRow row{.bytes = loaded.bytes, .units = loaded.units, .sets = {}};
    for (const analyzer::LoadedSet& set : loaded.sets)
        row.sets.push_back({.load = set.load,
                            .pointer = set.pointer,
                            .first_block = set.first_block,
                            .last_block = set.last_block,
                            .units = set.units});
    return row;
}

bool is_shown(const analyzer::Request& request, const analyzer::LoadedUnits& loaded) {
    verify::KernelCase kernel;
    kernel.function = request.function;
    kernel.architecture = *request.architecture;
    kernel.facts = *request.facts;
    kernel.launch = request.launch;
    kernel.loads_through_caches = request.loads_through_caches;
    try {
        verify::check_loaded_data(kernel, row_of(loaded));
    } catch (const verify::Finding&) {
        return false;
    }
    return true;
}

} // namespace warpbound::certification
