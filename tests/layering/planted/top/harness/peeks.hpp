#pragma once
/// \file
/// Planted: the judge includes the accused. The layering test must refuse it.
#include "analyzer/analyze.hpp"
