#pragma once
/// \file
/// Collective operations of sm_90: `WARPSYNC.COLLECTIVE R, L; SHFL ..; ENDCOLLECTIVE; L:`. The
/// lanes of the mask wait for each other, execute what follows together, and go on at L.

#include "assembly/isa/program.hpp"

namespace warpbound::assembly {

/// Makes straight code of each collective operation that ends right before the label that its
/// WARPSYNC names and transfers no control before. All other ones stay unknown control flow.
void straighten_collectives(Function& function);

} // namespace warpbound::assembly
