// SPDX-License-Identifier: BSD-2-Clause
#include "client/quality/score_log.h"

#include <cstdarg>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

namespace perdix::client {
namespace {

__attribute__((format(printf, 1, 2))) std::string Format(const char* format,
                                                         ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  return text;
}

using Members = std::vector<std::pair<std::string, double>>;

// The members of an object, one a line.
std::string Lines(const Members& members, const std::string& indent) {
  std::string text;
  for (const auto& [name, value] : members) {
    if (!text.empty()) text += ",\n";
    text += indent + Format("\"%s\": %.6f", name.c_str(), value);
  }
  return text.empty() ? text : text + "\n";
}

std::string Frame(const ScoreTable& table, size_t frame) {
  Members members;
  for (size_t i = 0; i < table.names.size(); ++i) {
    const std::optional<double>& score = table.rows[frame][i];
    if (score) members.emplace_back(table.names[i], *score);
  }
  return Format("    {\n      \"frameNum\": %zu,\n      \"metrics\": {\n",
                frame) +
         Lines(members, "        ") + "      }\n    }";
}

std::string Pooled(const std::string& name, const PooledScore& score) {
  return "    \"" + name + "\": {\n" +
         Lines({{"min", score.min},
                {"max", score.max},
                {"mean", score.mean},
                {"harmonic_mean", score.harmonic_mean}},
               "      ") +
         "    }";
}

// Items of an array or an object that has them one below the other.
std::string Join(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) {
    if (!text.empty()) text += ",\n";
    text += item;
  }
  return text.empty() ? text : text + "\n";
}

}  // namespace

std::string ToJson(const ScoreTable& table, const std::string& version,
                   double fps) {
  std::vector<std::string> frames, pooled;
  for (size_t frame = 0; frame < table.rows.size(); ++frame) {
    frames.push_back(Frame(table, frame));
  }
  for (size_t i = 0; i < table.names.size(); ++i) {
    const std::optional<PooledScore> score = Pool(table, i);
    if (score) pooled.push_back(Pooled(table.names[i], *score));
  }
  return "{\n  \"version\": \"" + version + "\",\n" +
         Format("  \"fps\": %.2f,\n", fps) + "  \"frames\": [\n" +
         Join(frames) + "  ],\n  \"pooled_metrics\": {\n" + Join(pooled) +
         "  },\n  \"aggregate_metrics\": {\n  }\n}\n";
}

std::string ToCsv(const ScoreTable& table) {
  std::string text = "Frame";
  for (const std::string& name : table.names) text += "," + name;
  text += "\n";
  for (size_t frame = 0; frame < table.rows.size(); ++frame) {
    text += std::to_string(frame);
    for (const std::optional<double>& score : table.rows[frame]) {
      text += score ? Format(",%.6f", *score) : ",";
    }
    text += "\n";
  }
  return text;
}

}  // namespace perdix::client
