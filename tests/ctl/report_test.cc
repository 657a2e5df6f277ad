// SPDX-License-Identifier: BSD-2-Clause
#include "tools/ctl/report.h"

#include <gtest/gtest.h>

#include "tests/ctl/fake_tree.h"
#include "tests/ctl/sample.h"
#include "tools/ctl/failure.h"
#include "tools/ctl/html.h"

namespace perdix::ctl {
namespace {

using nlohmann::json;

// Why <text> is not well-formed: tags that do not nest. Empty: it is.
std::string Disorder(const std::string& text) {
  std::vector<std::string> open;
  for (size_t i = text.find('<'); i != std::string::npos;
       i = text.find('<', i + 1)) {
    const size_t end = text.find('>', i);
    if (end == std::string::npos) return "a tag without end";
    const std::string tag = text.substr(i + 1, end - i - 1);
    if (tag[0] == '!' || tag.back() == '/') continue;
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    if (name[0] != '/') {
      open.push_back(name);
    } else if (open.empty() || "/" + open.back() != name) {
      return "<" + tag + "> where </" + (open.empty() ? "" : open.back()) +
             "> is due";
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> stays open";
}

json BenchSample() {
  return {{"clips",
           {{{"file", "/x/demo.webm"},
             {"width", 640},
             {"height", 360},
             {"kernels",
              {{{"kernel", "vp9_loop_filter"},
                {"variant", "simd"},
                {"gate", "exact"},
                {"ns_per_frame", 1'234'000}},
               {{"kernel", "vp9_loop_filter"},
                {"variant", "vulkan"},
                {"gate", "did not run"},
                {"reason", "no <GPU>"}}}},
             {"recipes",
              {{{"label", "all simd"},
                {"exact", true},
                {"fps", 321.0},
                {"cpu_seconds_per_frame", 0.004}},
               {{"label", "all Vulkan"}, {"exact", false}}}}}}}};
}

ReportInput Sample(const FakeTree& tree) {
  ReportInput input;
  input.version = "0.1.0";
  input.made_usec = 1'767'226'200'000'000;
  const DoctorInput doctor = tree.Input();
  input.machine = DescribeMachine(doctor.system);
  input.daemon = doctor.daemon;
  input.daemon->sessions[2].client_name = "<&>";
  input.findings = Examine(doctor);
  input.bench = BenchSample();
  input.bench_svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"/>";
  return input;
}

TEST(ReportTest, IsWellFormedAndSelfContained) {
  const FakeTree tree;
  const std::string html = ReportHtml(Sample(tree));
  EXPECT_EQ(Disorder(html), "");
  for (const char* outside : {"http://", "https://", "@import", "url(",
                              "<script", "<link", "src=\"/"}) {
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
  }
  for (const char* inside :
       {"Debian 12", "Cortex-A76 &lt;r4&gt;", "6.12.47", "7.9 GiB",
        "&lt;&amp;&gt;", "class=\"histogram\"", "1.234 ms", "321.0",
        "no &lt;GPU&gt;", "stored by an earlier calibration",
        "data:image/svg+xml;base64,"}) {
    EXPECT_NE(html.find(inside), std::string::npos) << inside;
  }
}

TEST(ReportTest, WithoutDaemonAndBench) {
  FakeTree tree;
  ReportInput input = Sample(tree);
  input.daemon.reset();
  input.bench = nullptr;
  input.bench_svg.clear();
  const std::string html = ReportHtml(input);
  EXPECT_EQ(Disorder(html), "");
  EXPECT_NE(html.find("perdixd did not answer"), std::string::npos);
  EXPECT_NE(html.find("Not measured"), std::string::npos);
}

TEST(ReportTest, RefusesFiguresOfAnotherKind) {
  const FakeTree tree;
  ReportInput input = Sample(tree);
  input.bench = {{"clips", {{{"file", 1}}}}};
  EXPECT_THROW(ReportHtml(input), Failure);
  input.bench = json::array({1, 2});
  EXPECT_THROW(ReportHtml(input), Failure);
}

TEST(HtmlTest, Base64IsThatOfRfc4648) {
  EXPECT_EQ(Base64(""), "");
  EXPECT_EQ(Base64("f"), "Zg==");
  EXPECT_EQ(Base64("fo"), "Zm8=");
  EXPECT_EQ(Base64("foo"), "Zm9v");
  EXPECT_EQ(Base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(Base64("\xff\xfe"), "//4=");
}

}  // namespace
}  // namespace perdix::ctl
