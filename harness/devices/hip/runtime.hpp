#pragma once
/// \file
/// The HIP runtime as a driver: its functions under the names of CUDA's driver.

#include "harness/devices/cuda/driver_abi.hpp"
#include "harness/devices/cuda/shared_library.hpp"
#include "harness/devices/hip/runtime_abi.hpp"

#include <string>
#include <string_view>

namespace warpbound::harness::hip {

/// HIP's name of a function of CUDA's driver: "hipMalloc" of "cuMemAlloc_v2"; empty where it has
/// none.
std::string_view name_of_function(std::string_view cuda_name);

/// Finds what the runtime has in common with CUDA's driver, and its own functions. Members that HIP
/// has no like of stay null. Returns the name of the first function that the library lacks; empty:
/// it has all.
std::string find_functions(const cuda::SharedLibrary& library, cuda::DriverFunctions& common,
                           RuntimeFunctions& own);

/// "6.2.41134" of 60241134; numbers of another form, before HIP 4, as they are.
std::string version_text(int version);

} // namespace warpbound::harness::hip
