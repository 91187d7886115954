#pragma once
/// \file
/// Planted: what the policy may not see.
