#pragma once
/// \file
/// Planted: a module includes one that includes it. The layering test must refuse it.
#include "models/lower.hpp"
