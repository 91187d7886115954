#pragma once
/// \file
/// Bundles of kernels whose lanes diverge, for tests that change them.

#include "assembly/support/source_text.hpp"
#include "certification/verify/evidence.hpp"
#include "tests/support/stated_uniformity.hpp"
#include "tests/unit/certification/sample_bundle.hpp"

#include <string>

namespace warpbound::certification {

/// Lanes may diverge at lines with `// part`; those with `// turns` are headers of loops of 3
/// turns, of 1 to 3 with `// turns at most`.
inline KernelInput input_of(const std::string& body, const std::string& launch,
                            const std::string& policy = "gto") {
    KernelInput input;
    input.kernel = "diverging";
    input.listing = "!Arch sm_75\n!Kernel diverging\n" + body + "!EndKernel\n";
    models::FlowFacts facts;
    facts.kernel = input.kernel;
    facts.program_digest = assembly::digest_of(input.listing);
    std::int64_t address = 0;
    std::size_t at = 0;
    for (std::size_t end = body.find('\n'); end != std::string::npos; end = body.find('\n', at)) {
        const std::string line = body.substr(at, end - at);
        at = end + 1;
        if (line.find("// part") != std::string::npos)
            facts.divergents.push_back({.at = address, .from = {}});
        if (line.find("// turns") != std::string::npos) {
            auto& loop = facts.loops.emplace_back();
            loop.header = address;
            loop.min = line.find("at most") != std::string::npos ? 1 : 3;
            loop.max = 3;
        }
        if (line.front() == ' ') address += 16;
    }
    tests::state_uniform_elsewhere(facts, input.listing);
    input.flow_facts = models::write_flow_facts(facts);
    auto architecture = models::load_architecture("turing-t4").value();
    architecture.fetch = {};
    architecture.register_file = {};
    input.architecture = models::write_architecture(architecture);
    input.launch = launch;
    input.policy = policy;
    return input;
}

/// Two points, one inside the other; a barrier where all lanes are together, in a loop.
inline const std::string two_points = R"(  MOV R2, 0x3 ?trans4;
.L_turn:
  BSSY B0, `(.L_end) ?trans2; // turns
  @P0 BRA `(.L_else) ?trans5; // part
  BSSY B1, `(.L_in) ?trans2;
  @P1 BRA `(.L_inner) ?trans5; // part
  MOV R3, R1 ?trans6;
.L_inner:
  BSYNC B1 ?trans5;
.L_in:
  MOV R4, R1 ?trans6;
  BRA `(.L_done) ?trans5;
.L_else:
  MOV R5, R1 ?trans6;
.L_done:
  BSYNC B0 ?trans5;
.L_end:
  BAR.SYNC 0x0 ?trans6;
  @P2 BRA `(.L_turn) ?trans5;
  EXIT ?trans5;
)";

inline Result<Bundle> bundle_of(const KernelInput& input) {
    BundleInputs made;
    made.tool_version = "1.2.3";
    made.kernels.push_back(input);
    return build_bundle(made);
}

inline std::size_t block_at(const verify::KernelCase& kernel, std::int64_t address) {
    std::size_t block = 0;
    while (kernel.blocks[block].first != address)
        ++block;
    return block;
}

} // namespace warpbound::certification
