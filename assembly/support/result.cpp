#include "assembly/support/result.hpp"

#include "assembly/support/printable.hpp"

namespace warpbound {

std::string to_string(const Failure& failure) {
    std::string place = failure.where;
    if (failure.line > 0) {
        if (place.empty()) place = "line";
        place += ':';
        place += std::to_string(failure.line);
        if (failure.column > 0) {
            place += ':';
            place += std::to_string(failure.column);
        }
    }
    return printable(place.empty() ? failure.what : place + ": " + failure.what);
}

} // namespace warpbound
