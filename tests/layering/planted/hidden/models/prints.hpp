#pragma once
/// \file
/// Planted: a library prints. The layering test must refuse it.
#include <iostream>
