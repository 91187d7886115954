#pragma once
/// \file
/// Planted: a lower folder includes a higher one. The layering test must refuse it.
#include "analyzer/policies/policy.hpp"
