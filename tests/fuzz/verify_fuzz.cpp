#include "tests/support/evidence.hpp"

#include <cstdlib>
#include <iterator>

namespace {

using namespace warpbound;

const certification::EvidenceFiles& bundle() {
    static const certification::EvidenceFiles files = [] {
        certification::BundleInputs inputs;
        inputs.tool_version = "1";
        inputs.kernels.push_back(tests::example_kernel("saxpy/sm_75.sass", "saxpy_loop",
                                                       "saxpy/sm_75.flow-facts.xml", "turing-t4",
                                                       "2x64", 5));
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
