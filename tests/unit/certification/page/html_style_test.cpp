#include "certification/page/html_style.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <string>

namespace warpbound::certification {
namespace {

/// Colours of a part of the style sheet by name. `#abc` stands for `#aabbcc`.
std::map<std::string, std::string> colours_in(const std::string& text) {
    std::map<std::string, std::string> colours;
    const std::regex definition{"--([a-z0-9]+): #([0-9a-f]{6}|[0-9a-f]{3});"};
    for (std::sregex_iterator match{text.begin(), text.end(), definition}, end; match != end;
         ++match)
        colours[(*match)[1]] = (*match)[2];
    return colours;
}

/// Relative luminance (WCAG 2.1).
double luminance(const std::string& colour) {
    double sum = 0;
    const double weights[] = {0.2126, 0.7152, 0.0722};
    for (std::size_t i = 0; i < 3; ++i) {
        const double part = std::stoi(colour.substr(2 * i, 2), nullptr, 16) / 255.0;
        sum +=
            weights[i] * (part <= 0.03928 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4));
    }
    return sum;
}

double contrast(const std::string& a, const std::string& b) {
    const double bright = std::max(luminance(a), luminance(b));
    const double dark = std::min(luminance(a), luminance(b));
    return (bright + 0.05) / (dark + 0.05);
}

void expect_contrasts(const std::string& part) {
    const auto colours = colours_in(part);
    for (const char* background : {"page", "panel"}) {
        for (const char* text : {"text", "quiet", "bound", "estimate", "deadline", "good", "bad"})
            EXPECT_GE(contrast(colours.at(text), colours.at(background)), 4.5)
                << text << " on " << background;
        EXPECT_GE(contrast(colours.at("bar"), colours.at(background)), 3);
        for (int i = 0; i < 8; ++i)
            EXPECT_GE(contrast(colours.at("part" + std::to_string(i)), colours.at(background)), 3)
                << i;
    }
    for (int i = 0; i < 8; ++i)
        EXPECT_GE(contrast(colours.at("inside"), colours.at("part" + std::to_string(i))), 4.5) << i;
}

TEST(HtmlStyle, HasTheContrastsThatReadersNeed) {
    const std::string style{html_style};
    const auto dark = style.find("@media (prefers-color-scheme: dark)");
    const auto rest = style.find("* { box-sizing");
    ASSERT_LT(dark, rest);
    expect_contrasts(style.substr(0, dark));
    expect_contrasts(style.substr(dark, rest - dark));
}

} // namespace
} // namespace warpbound::certification
