#pragma once
/// \file
/// Planted: the verifier includes the analyzer. The layering test must refuse it.
#include "analyzer/analyze.hpp"
