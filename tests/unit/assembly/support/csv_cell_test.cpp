/// \file
/// Cells of CSV.
#include "assembly/support/csv_cell.hpp"

#include <gtest/gtest.h>

namespace warpbound {
namespace {

TEST(CsvCell, QuotesOnlyWhatNeedsIt) {
    EXPECT_EQ(csv_cell("saxpy"), "saxpy");
    EXPECT_EQ(csv_cell(""), "");
    EXPECT_EQ(csv_cell("two-level:active=4,x"), "\"two-level:active=4,x\"");
    EXPECT_EQ(csv_cell("a \"b\""), "\"a \"\"b\"\"\"");
    EXPECT_EQ(csv_cell("a\nb"), "\"a\nb\"");
}

TEST(CsvCell, IsNoFormula) {
    EXPECT_EQ(csv_cell("=1+1"), "'=1+1");
    EXPECT_EQ(csv_cell("@x,y"), "\"'@x,y\"");
}

} // namespace
} // namespace warpbound
