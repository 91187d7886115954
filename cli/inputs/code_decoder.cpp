#include "cli/inputs/code_decoder.hpp"

#ifdef WARPBOUND_HAS_LLVM
#include "assembly/amd/llvm_decoder.hpp"
#endif

#include <string>
#include <string_view>
#include <vector>

namespace warpbound::cli {

#ifdef WARPBOUND_HAS_LLVM

const assembly::amd::CodeDecoder& code_decoder() {
    return assembly::amd::llvm_decoder();
}

std::string code_decoder_version() {
    return "LLVM " WARPBOUND_LLVM_VERSION;
}

#else

namespace {

namespace amd = assembly::amd;

class NoDecoder final : public amd::CodeDecoder {
public:
    [[nodiscard]] Result<std::vector<amd::DecodedInstruction>>
    decode(assembly::Target, int, std::string_view) const override {
        return refusal();
    }
    [[nodiscard]] Result<std::string> assemble(const amd::AssemblyText&) const override {
        return refusal();
    }

private:
    static Failure refusal() {
        return Failure{"AMD's instructions are decoded by LLVM, which this build lacks: install "
                       "llvm-19-dev and build again"};
    }
};

} // namespace

const amd::CodeDecoder& code_decoder() {
    static const NoDecoder decoder;
    return decoder;
}

std::string code_decoder_version() {
    return {};
}

#endif

} // namespace warpbound::cli
