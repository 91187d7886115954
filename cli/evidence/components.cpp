#include "cli/evidence/components.hpp"

#include "certification/verify/solver/solver.hpp"

#include <CLI/CLI.hpp>
#include <boost/version.hpp>
#include <fmt/format.h>

#include <string>

namespace warpbound::cli {

std::vector<certification::Component> components() {
    const std::string solver = certification::verify::z3_version();
    const auto parts = [](int version, int major, int minor) {
        return fmt::format("{}.{}.{}", version / major, version / minor % (major / minor),
                           version % minor);
    };
    return {{"Boost", parts(BOOST_VERSION, 100'000, 100), "BSL-1.0"},
            {"CLI11", CLI11_VERSION, "BSD-3-Clause"},
            {"OpenSSL libcrypto", "", "Apache-2.0"},
            {"SQLite", "", "blessing"},
            {"TinyXML2", "", "Zlib"},
            {"Z3", solver.substr(solver.find(' ') + 1), "MIT"},
            {"fmt", parts(FMT_VERSION, 10'000, 100), "MIT"},
            {"nlohmann-json", "", "MIT"}};
}

} // namespace warpbound::cli
