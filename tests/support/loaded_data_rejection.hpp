#pragma once
/// \file
/// The check of data that launches load (S79), as a function of its own.

#include "certification/verify/memory/loaded_data.hpp"

#include <string>

namespace warpbound::tests {

/// What the verifier says against the data; empty where it accepts them.
inline std::string rejection_of(const certification::verify::KernelCase& kernel,
                                const certification::verify::LoadedDataRow& row) {
    try {
        certification::verify::check_loaded_data(kernel, row);
    } catch (const certification::verify::Finding& finding) {
        return finding.what();
    }
    return {};
}

} // namespace warpbound::tests
