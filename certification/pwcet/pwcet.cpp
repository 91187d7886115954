#include "certification/pwcet/pwcet.hpp"

namespace warpbound::certification {

std::string_view to_string(ExtremesBy by) {
    switch (by) {
    case ExtremesBy::ResidualVariation:
        return "cv";
    case ExtremesBy::Threshold:
        return "pot";
    case ExtremesBy::BlockMaxima:
        break;
    }
    return "block-maxima";
}

} // namespace warpbound::certification
