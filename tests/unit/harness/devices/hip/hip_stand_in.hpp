#pragma once
/// \file
/// Replaces the HIP runtime and AMD's assembler.

#include "tests/unit/harness/devices/cuda/stand_in.hpp"

#include <cstdlib>
#include <string>

namespace warpbound::tests {

/// During its lifetime, `hip:0` is the stand-in with the given script; launches time out after 50
/// ms, and its assembler gives the text itself, which the stand-in runs.
class HipStandIn : public StandIn {
public:
    explicit HipStandIn(const std::string& script = "") : StandIn{script} {
        install("copying-clang", "#!/bin/sh\n/bin/cp \"$6\" \"$8\"\n");
        setenv("WARPBOUND_HIP_RUNTIME", WARPBOUND_TEST_STAND_IN, 1);
        setenv("WARPBOUND_HIP_TIME_OUT", "50", 1);
        setenv("WARPBOUND_CLANG", (folder() / "copying-clang").c_str(), 1);
        setenv("WARPBOUND_BOARD_ROOT", folder().c_str(), 1);
    }
    ~HipStandIn() {
        for (const char* name : {"WARPBOUND_HIP_RUNTIME", "WARPBOUND_HIP_TIME_OUT",
                                 "WARPBOUND_CLANG", "WARPBOUND_BOARD_ROOT"})
            unsetenv(name);
    }
    HipStandIn(const HipStandIn&) = delete;
    HipStandIn& operator=(const HipStandIn&) = delete;
    HipStandIn(HipStandIn&&) = delete;
    HipStandIn& operator=(HipStandIn&&) = delete;
};

} // namespace warpbound::tests
