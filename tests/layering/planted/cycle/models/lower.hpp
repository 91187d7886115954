#pragma once
/// \file
/// Planted: the lower module; its .cpp closes the cycle.
