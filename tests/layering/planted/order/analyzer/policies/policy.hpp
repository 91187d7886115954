#pragma once
/// \file
/// Planted: a policy that looks at a folder beside its own. The layering test must refuse it.
#include "analyzer/memory/queue.hpp"
