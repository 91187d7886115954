#include "models/kernel/kernel_profile.hpp"

namespace warpbound::models {
namespace {

using assembly::OpcodeClass;

std::int64_t& count_of(KernelProfile& counts, const ProfileStep& step) {
    if (is_global_load(step.opcode_class) || step.opcode_class == OpcodeClass::AtomicGlobal)
        return counts.global_loads;
    if (is_global_store(step.opcode_class)) return counts.global_stores;
    if (step.opcode_class == OpcodeClass::StoreShared) return counts.shared_stores;
    if (is_shared_access(step.opcode_class)) return counts.shared_loads;
    const bool dependent = !step.distances.empty() && step.distances.front() == 1;
    return dependent ? counts.arithmetic_dependent : counts.arithmetic_independent;
}

} // namespace

KernelProfile counts_of(const Steps& steps) {
    KernelProfile counts;
    for (std::size_t kind = 0; kind < steps.kinds().size(); ++kind)
        count_of(counts, steps.kinds()[kind]) += steps.executions()[kind];
    return counts;
}

} // namespace warpbound::models
