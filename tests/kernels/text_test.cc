// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/text.h"

#include <gtest/gtest.h>

namespace perdix {
namespace {

TEST(PrintableTest, PrintableHasNoControlCharacters) {
  EXPECT_EQ(Printable("a\033[2J\n\t\x7f"), "a?[2J???");
  EXPECT_EQ(Printable(std::string_view("a\0b", 3)), "a?b");
}

TEST(PrintableTest, PrintableHasNoEightBitControls) {
  EXPECT_EQ(Printable("\x9b"
                      "2J"),
            "?2J");
  EXPECT_EQ(Printable("\xc2\x9b"  // the same in UTF-8
                      "2J"),
            "??2J");
  EXPECT_EQ(Printable("\xc2\xa0"), "\xc2\xa0");  // the first that is none
}

TEST(PrintableTest, PrintableKeepsUtf8AndNothingElse) {
  EXPECT_EQ(Printable("Käse 日本 😀"), "Käse 日本 😀");
  EXPECT_EQ(Printable("K\xe4se"), "K?se");           // Latin-1
  EXPECT_EQ(Printable("\xe6\x97"), "??");            // cut short
  EXPECT_EQ(Printable("\xc1\x9b"), "??");            // two bytes for [
  EXPECT_EQ(Printable("\xe0\x82\x9b"), "???");       // three for U+009B
  EXPECT_EQ(Printable("\xf0\x80\x82\x9b"), "????");  // four
  EXPECT_EQ(Printable("\xed\xa0\x80"), "???");       // a surrogate
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "????");  // above U+10FFFF
}

TEST(PrintableTest, LinesKeepTheirEnds) {
  EXPECT_EQ(PrintableLines("a\033\n\x9b\n"), "a?\n?\n");
}

TEST(PrintableTest, XmlHasNoMarkupAndNoControlCharacters) {
  EXPECT_EQ(EscapeXml("<a href=\"ä&b\">\033\n"),
            "&lt;a href=&quot;ä&amp;b&quot;&gt;?\n");
}

}  // namespace
}  // namespace perdix
