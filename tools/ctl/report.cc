// SPDX-License-Identifier: BSD-2-Clause
#include "tools/ctl/report.h"

#include <sysexits.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <sstream>

#include "kernels/text.h"
#include "tools/ctl/columns.h"
#include "tools/ctl/failure.h"
#include "tools/ctl/histogram.h"
#include "tools/ctl/html.h"
#include "tools/ctl/report_style.h"
#include "tools/ctl/status.h"
#include "tools/ctl/text.h"

namespace perdix::ctl {
namespace {

using nlohmann::json;

constexpr size_t kHistogramBins = 86;

// The value of "key : value" or key=value in a file of /proc or /etc.
std::string Lookup(const System& system, const std::string& path,
                   const std::string& key) {
  std::istringstream lines(system.Read(path).value_or(""));
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.starts_with(key)) continue;
    const size_t start = line.find_first_of(":=", key.size());
    if (start == std::string::npos) continue;
    const size_t first = line.find_first_not_of(" \t\"", start + 1);
    const size_t last = line.find_last_not_of(" \t\"");
    if (first <= last) return line.substr(first, last - first + 1);
  }
  return "";
}

std::string Tile(const std::string& number, const std::string& label) {
  return "<div class=\"tile\"><b>" + EscapeXml(number) + "</b><span>" +
         EscapeXml(label) + "</span></div>\n";
}

std::string DoctorTile(const std::vector<Finding>& findings) {
  const auto failed =
      std::ranges::count(findings, Verdict::kFailed, &Finding::verdict);
  return Tile(failed == 0 ? "healthy" : std::to_string(failed) + " failed",
              "doctor");
}

std::string Tiles(const Snapshot& snapshot,
                  const std::vector<Finding>& findings) {
  const Daemon& daemon = snapshot.daemon;
  double fps = 0;
  for (const Session& session : snapshot.sessions) fps += session.fps;
  return "<div class=\"tiles\">\n" +
         Tile(daemon.connected ? "connected" : "no module", "state") +
         Tile(Count(daemon.frames_decoded), "frames decoded") +
         Tile(
             Count(daemon.frames_failed) + " / " + Count(daemon.frames_dropped),
             "failed / dropped") +
         Tile(Fixed(fps, 1), "frames a second now") +
         Tile(std::to_string(daemon.sessions_open), "sessions open") +
         DoctorTile(findings) + "</div>\n";
}

std::string DaemonFacts(const Daemon& daemon) {
  return Facts(
      {{"perdixd", daemon.version},
       {"module", daemon.module_version.empty() ? "version unknown"
                                                : daemon.module_version},
       {"nodes", NodesText(daemon)},
       {"threads", std::to_string(daemon.threads)},
       {"GPU", GpuText(daemon)},
       {"coded", Bytes(daemon.bytes_in)},
       {"counted", "since " + LocalTime(daemon.statistics_since)}});
}

std::string MachineAndDaemon(const ReportInput& input) {
  std::string html =
      "<div class=\"pair\">" + Section("Machine", Facts(input.machine));
  html += Section("Daemon", input.daemon
                                ? DaemonFacts(input.daemon->daemon)
                                : "<p>perdixd did not answer: see below what "
                                  "doctor says.</p>\n");
  return html + "</div>\n";
}

std::string StagesAndRecipe(const Daemon& daemon) {
  uint64_t totals[2] = {};
  for (const StageTime& stage : daemon.stages)
    totals[stage.on_gpu()] += stage.usec;
  std::vector<std::vector<std::string>> rows;
  for (const StageTime& stage : daemon.stages) {
    const uint64_t total = totals[stage.on_gpu()];
    const double share = total == 0 ? 0 : double(stage.usec) / double(total);
    rows.push_back({"<code>" + EscapeXml(stage.stage) + "</code>",
                    EscapeXml(stage.variant), Meter(share, stage.variant),
                    Fixed(100 * share, 1) + " %",
                    EscapeXml(Duration(stage.usec))});
  }
  std::string html = "<p>" + EscapeXml(RecipeSummary(daemon)) +
                     " <span class=\"dim\">&#8211; " +
                     EscapeXml(SourceText(daemon)) + "</span></p>\n";
  if (!rows.empty()) {
    html += HtmlTable({{"Stage"},
                       {"Variant"},
                       {"Share of its side, CPU or GPU"},
                       {"", true},
                       {"Time, all threads", true}},
                      rows);
  } else {
    for (const auto& [kernel, variant] : daemon.recipe)
      rows.push_back(
          {"<code>" + EscapeXml(kernel) + "</code>", EscapeXml(variant)});
    html += HtmlTable({{"Kernel"}, {"Variant"}}, rows);
  }
  return Section("Recipe, and where the time goes", html);
}

// "FPS" as "Fps".
std::string Capitalised(std::string text) {
  for (size_t i = 1; i < text.size(); ++i)
    text[i] = char(std::tolower(static_cast<unsigned char>(text[i])));
  return text;
}

std::string SessionsSection(const Snapshot& snapshot) {
  std::vector<std::vector<std::string>> rows;
  std::map<uint64_t, uint64_t> frames;
  for (const Session& session : snapshot.sessions) {
    rows.push_back(
        SessionCells(snapshot.daemon, session, Columns::kFew, Style{}));
    for (std::string& cell : rows.back()) cell = EscapeXml(cell);
    for (const Bucket& bucket : session.latency_histogram)
      frames[bucket.upper_usec] += bucket.frames;
  }
  if (rows.empty())
    return Section("Sessions", "<p class=\"dim\">None is open.</p>\n");
  std::vector<Heading> headings;
  for (const Table::Column& column :
       SessionTitles(snapshot.daemon, Columns::kFew))
    headings.push_back({Capitalised(column.title), column.right});
  std::string html = HtmlTable(headings, rows);
  std::vector<Bucket> buckets;
  for (const auto& [upper, count] : frames) buckets.push_back({upper, count});
  if (!buckets.empty()) {
    html +=
        "<h3>Latency <span class=\"dim\">from job to answer, all open "
        "sessions</span></h3>\n" +
        HistogramSvg(BinLatencies(buckets, kHistogramBins));
  }
  return Section("Sessions", html);
}

// What a kernel costs, or why it was not timed.
std::string BenchCell(const json& row) {
  if (row.contains("ns_per_frame"))
    return Fixed(row.at("ns_per_frame").get<double>() / 1e6, 3) + " ms";
  const std::string reason = row.value("reason", "");
  return EscapeXml(row.at("gate").get<std::string>() +
                   (reason.empty() ? "" : ": " + reason));
}

// A row for each kernel, a column for each variant.
std::string BenchKernels(const json& rows) {
  std::vector<Heading> headings = {{"Kernel, time of a frame"}};
  std::vector<std::vector<std::string>> cells;
  std::map<std::string, size_t> columns;
  std::map<std::string, size_t> lines;
  for (const json& row : rows) {
    const std::string kernel = row.at("kernel");
    std::string variant = row.at("variant");
    if (row.value("memory", "") == "shared") variant += ", shared memory";
    if (columns.try_emplace(variant, headings.size()).second)
      headings.push_back({variant, true});
    if (lines.try_emplace(kernel, cells.size()).second)
      cells.push_back({"<code>" + EscapeXml(kernel) + "</code>"});
    auto& line = cells[lines[kernel]];
    line.resize(std::max(line.size(), columns[variant] + 1));
    line[columns[variant]] = BenchCell(row);
  }
  for (auto& line : cells) line.resize(headings.size());
  return HtmlTable(headings, cells);
}

std::string BenchClip(const json& clip) {
  std::vector<std::vector<std::string>> recipes;
  for (const json& row : clip.at("recipes")) {
    const bool exact = row.at("exact");
    recipes.push_back(
        {EscapeXml(row.at("label").get<std::string>()),
         exact ? Fixed(row.at("fps").get<double>(), 1)
               : EscapeXml(row.value("reason", "not exact")),
         exact ? Fixed(1e3 * row.at("cpu_seconds_per_frame").get<double>(), 2) +
                     " ms"
               : ""});
  }
  const std::string file = clip.at("file");
  std::string html = "<h3>" + EscapeXml(file.substr(file.rfind('/') + 1)) +
                     " <span class=\"dim\">" +
                     std::to_string(clip.at("width").get<int>()) + "x" +
                     std::to_string(clip.at("height").get<int>()) +
                     "</span></h3>\n" + BenchKernels(clip.at("kernels"));
  if (!recipes.empty()) {
    html += HtmlTable({{"Whole frames"},
                       {"Frames a second", true},
                       {"CPU time a frame", true}},
                      recipes);
  }
  return html;
}

std::string BenchSection(const ReportInput& input) {
  std::string html;
  try {
    if (!input.bench.is_null()) {
      for (const json& clip : input.bench.at("clips")) html += BenchClip(clip);
    }
  } catch (const json::exception& error) {
    throw Failure(EX_DATAERR,
                  std::string("the figures are not those that perdix-bench "
                              "--json writes: ") +
                      error.what());
  }
  // An image, so that whatever is in there cannot do anything to the page.
  if (!input.bench_svg.empty()) {
    html += "<img alt=\"perdix-bench\" src=\"data:image/svg+xml;base64," +
            Base64(input.bench_svg) + "\"/>\n";
  }
  if (html.empty()) {
    html =
        "<p class=\"dim\">Not measured: <code>perdixctl report --bench"
        "</code> does it.</p>\n";
  }
  return Section("Bench", html);
}

std::string DoctorSection(const std::vector<Finding>& findings) {
  std::vector<std::vector<std::string>> rows;
  for (const Finding& finding : findings) {
    const std::string verdict = VerdictName(finding.verdict);
    rows.push_back(
        {"<span class=\"verdict " + verdict + "\">" + verdict + "</span>",
         EscapeXml(finding.name),
         EscapeXml(finding.text) +
             (finding.fix.empty()
                  ? ""
                  : "<pre>" + EscapeXml(finding.fix) + "</pre>")});
  }
  return Section("Doctor", HtmlTable({{""}, {"Check"}, {"Finding"}}, rows));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> DescribeMachine(
    const System& system) {
  std::string processor = Lookup(system, "/proc/cpuinfo", "model name");
  if (processor.empty()) processor = Lookup(system, "/proc/cpuinfo", "Model");
  std::vector<std::pair<std::string, std::string>> facts;
  const auto add = [&](const char* label, const std::string& text) {
    if (!text.empty()) facts.emplace_back(label, text);
  };
  add("host", system.Read("/proc/sys/kernel/hostname").value_or(""));
  add("board", system.Read("/proc/device-tree/model").value_or(""));
  add("processor", processor);
  add("processors", system.Read("/sys/devices/system/cpu/online").value_or(""));
  const std::string kib = Lookup(system, "/proc/meminfo", "MemTotal");
  add("memory", Bytes(1024 * std::strtoull(kib.c_str(), nullptr, 10)));
  add("kernel", system.Read("/proc/sys/kernel/osrelease").value_or(""));
  add("system", Lookup(system, "/etc/os-release", "PRETTY_NAME"));
  return facts;
}

std::string ReportHtml(const ReportInput& input) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width\"/>\n"
      "<title>perdix report</title>\n<style>" +
      std::string(kReportStyle) +
      "</style>\n</head>\n<body>\n<main>\n<header><h1>perdix</h1><span "
      "class=\"dim\">report of " +
      EscapeXml(LocalTime(input.made_usec)) + ", perdixctl " +
      EscapeXml(input.version) + "</span></header>\n";
  if (input.daemon) html += Tiles(*input.daemon, input.findings);
  html += MachineAndDaemon(input);
  if (input.daemon) {
    html += StagesAndRecipe(input.daemon->daemon);
    html += SessionsSection(*input.daemon);
  }
  html += DoctorSection(input.findings) + BenchSection(input);
  return html + "</main>\n</body>\n</html>\n";
}

}  // namespace perdix::ctl
