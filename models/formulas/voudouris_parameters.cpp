#include "models/formulas/voudouris_parameters.hpp"

#include <algorithm>
#include <string>

namespace warpbound::models::voudouris {

namespace {

std::int64_t expected(const Interval& interval) {
    return interval.typical.value_or(interval.hi);
}

Result<Interval> class_value(const Architecture& architecture, assembly::OpcodeClass opcode_class,
                             std::string_view value) {
    const std::string path = "classes/" + std::string{assembly::to_string(opcode_class)};
    const auto found = architecture.classes.find(opcode_class);
    if (found == architecture.classes.end())
        return Failure{path + " is not described", architecture.name};
    return require(architecture, found->second.values, path, value);
}

Result<Interval> memory_latency(const Architecture& architecture, std::string_view level) {
    const std::string path = "memories/" + std::string{level};
    const ValueGroup* memory = architecture.memory(level);
    if (memory == nullptr) return Failure{path + " is not described", architecture.name};
    return require(architecture, *memory, path, "latency");
}

} // namespace

Result<Parameters> parameters_from(const Architecture& architecture) {
    using assembly::OpcodeClass;
    const auto add_latency = class_value(architecture, OpcodeClass::FloatAdd, "latency");
    const auto add_initiation = class_value(architecture, OpcodeClass::FloatAdd, "initiation");
    const auto special = class_value(architecture, OpcodeClass::SpecialFunction, "latency");
    const auto shared_load = class_value(architecture, OpcodeClass::LoadShared, "latency");
    const auto shared_store = class_value(architecture, OpcodeClass::StoreShared, "initiation");
    const auto global_store = class_value(architecture, OpcodeClass::StoreGlobal, "initiation");
    const auto first_level = memory_latency(architecture, "l1");
    const auto dram = memory_latency(architecture, "dram");
    for (const auto* value : {&add_latency, &add_initiation, &special, &shared_load, &shared_store,
                              &global_store, &first_level, &dram})
        if (!*value) return value->as_failure();
    Parameters parameters;
    parameters.name = "description of " + architecture.name;
    parameters.independent = expected(add_initiation.value());
    parameters.dependent = expected(add_latency.value());
    parameters.special_dependent = expected(special.value());
    parameters.shared_load = expected(shared_load.value());
    parameters.shared_store = expected(shared_store.value());
    parameters.global_store = expected(global_store.value());
    parameters.global_load_best = first_level.value().lo;
    parameters.global_load = expected(dram.value());
    return parameters;
}

} // namespace warpbound::models::voudouris
