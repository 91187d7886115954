#pragma once
/// \file
/// Whether a sample can be extrapolated at all: its size, its modes, the order of its runs.

#include "certification/pwcet/pwcet.hpp"

#include <span>
#include <string>
#include <vector>

namespace warpbound::certification {

/// The times in their unit, in run order.
std::vector<double> values_of(const TimesInRunOrder& times);

/// A time in ticks with the decimals of the sample: "1034", "12.50".
std::string time_text(const TimesInRunOrder& times, std::int64_t ticks);

/// The lattice of the times in their unit.
models::Lattice lattice_of(const SeriesPwcet& series);

/// Fills `figures`; refuses too few runs and too few distinct times, and finds a constant sample.
void describe_sample(SeriesPwcet& series);

/// Fills `before` and refuses several modes, a gap in the tail, dependence and drift.
void test_runs(SeriesPwcet& series, std::span<const double> in_run_order,
               std::span<const double> sorted);

/// Corrects the p-values of a family of tests for their number and adds a reason for each test
/// that rejects or cannot decide, a warning for each that rejects before the correction only.
void judge(SeriesPwcet& series, std::vector<harness::OrderTest>& family,
           const std::string& meaning);

} // namespace warpbound::certification
