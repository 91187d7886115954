#pragma once
/// \file
/// Scores of a part of the kernels, written by one process and joined by another.

#include "assembly/support/result.hpp"
#include "tests/coverage/page.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace warpbound::coverage {

/// JSON: one object per row, with its launch.
std::string scores_of(const std::vector<Row>& rows);

/// The scores of all `cases`, in their order, from the files. Refuses, naming file and kernel: text
/// of another form, a kernel that is not among the cases or has another launch there, one that two
/// files have, and one that none has.
Result<std::vector<Row>> joined_scores(const std::vector<KernelCase>& cases,
                                       const std::vector<std::filesystem::path>& files);

} // namespace warpbound::coverage
