#include "tests/support/evidence.hpp"

#include <cstdlib>
#include <iterator>

namespace {

using namespace warpbound;

/// Two branches on one word: the certificates have states of pairs.
constexpr const char* correlated_branches =
    "!Arch sm_75\n!Kernel k\n"
    "ISETP.LT.AND P0, PT, RZ, c[0x0][0x160], PT ?trans5 ;\n"
    "@P0 BRA A ?trans5 ;\n"
    "FADD R3, R3, R3 ?trans4 ;\n"
    "A: ISETP.LT.AND P1, PT, RZ, c[0x0][0x160], PT ?trans5 ;\n"
    "@!P1 BRA B ?trans5 ;\n"
    "FADD R4, R4, R4 ?trans4 ;\n"
    "B: EXIT ?trans5 ;\n!EndKernel\n";

const certification::EvidenceFiles& bundle() {
    static const certification::EvidenceFiles files = [] {
        certification::BundleInputs inputs;
        inputs.tool_version = "1";
        inputs.kernels.push_back(tests::example_kernel("saxpy/sm_75.sass", "saxpy_loop",
                                                       "saxpy/sm_75.flow-facts.xml", "turing-t4",
                                                       "2x64", 5));
        certification::KernelInput correlated = inputs.kernels.front();
        correlated.kernel = "k";
        correlated.listing = correlated_branches;
        correlated.launch = "1x32";
        correlated.flow_facts.reset();
        correlated.series.clear();
        inputs.kernels.push_back(std::move(correlated));
        return certification::build_bundle(inputs).value().files;
    }();
    return files;
}

} // namespace

/// The first byte chooses the file of a bundle that the other bytes replace. Verification returns a
/// verdict, and not Holds.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    if (size == 0) return 0;
    certification::EvidenceFiles files = bundle();
    const auto file =
        std::next(files.begin(), static_cast<std::ptrdiff_t>(bytes[0] % files.size()));
    const std::string text{reinterpret_cast<const char*>(bytes + 1), size - 1};
    if (file->second.bytes == text) return 0;
    file->second.bytes = text;
    try {
        tests::seal_again(files);
    } catch (const std::exception&) {
        // The bundle stays unsealed where its files cannot be sealed.
    }
    certification::verify::Options options;
    options.rebuild = tests::rebuild;
    options.tool_version = "1";
    const auto steps = certification::verify::verify(tests::plain(files), options);
    if (certification::verify::overall(steps) == certification::verify::Verdict::Holds &&
        tests::plain(files) != tests::plain(bundle()))
        std::abort();
    return 0;
}
