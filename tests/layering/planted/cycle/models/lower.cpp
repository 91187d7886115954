#include "models/lower.hpp"

#include "models/upper.hpp"
