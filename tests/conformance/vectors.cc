// SPDX-License-Identifier: BSD-2-Clause
#include "tests/conformance/vectors.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace perdix {
namespace {

namespace fs = std::filesystem;

// Columns of INDEX.tsv.
enum Column { kFile, kCodec, kProfile, kPixFmt, kSize, kFrames, kFeatures };
constexpr size_t kWholeMd5 = kFeatures + 1;

std::vector<std::string> ReadLines(const fs::path& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> SplitAtTabs(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, '\t');) {
    fields.push_back(field);
  }
  return fields;
}

Vector MakeVector(const fs::path& folder, const std::string& name) {
  Vector vector;
  vector.name = name;
  vector.path = (folder / name).string();
  vector.frame_md5s = ReadLines(vector.path + ".frames.md5");
  vector.required = true;
  return vector;
}

bool IsStream(const fs::path& path) {
  return path.extension() == ".webm" || path.extension() == ".ivf";
}

// Every stream directly in folder/below that has a list of frames.
void AddFolder(const fs::path& folder, const std::string& below,
               std::vector<Vector>* vectors) {
  if (!fs::is_directory(folder / below)) return;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder / below)) {
    if (!IsStream(entry.path())) continue;
    names.push_back((fs::path(below) / entry.path().filename()).string());
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    vectors->push_back(MakeVector(folder, name));
  }
}

}  // namespace

std::vector<Vector> Clips() {
  std::vector<Vector> clips;
  AddFolder(fs::path(PERDIX_SOURCE_DIR) / "tests/clips", "", &clips);
  return clips;
}

std::string VectorFolder() {
  const char* folder = std::getenv("PERDIX_VECTORS");
  if (folder != nullptr) return folder;
  return (fs::path(PERDIX_SOURCE_DIR).parent_path() / "shared/vectors")
      .string();
}

std::vector<Vector> Vectors() {
  std::vector<Vector> vectors;
  const fs::path folder = VectorFolder();
  const std::vector<std::string> rows = ReadLines(folder / "INDEX.tsv");
  for (size_t i = 1; i < rows.size(); ++i) {
    const std::vector<std::string> row = SplitAtTabs(rows[i]);
    if (row.size() <= kWholeMd5 || row[kCodec] != "vp9") continue;
    Vector vector = MakeVector(folder, row[kFile]);
    vector.whole_md5 = row[kWholeMd5];
    vector.damaged = row[kFile].find("-invalid/") != std::string::npos;
    vector.required = row[kProfile] == "0" && row[kPixFmt] == "yuv420p";
    vectors.push_back(vector);
  }
  AddFolder(folder, "speed", &vectors);
  for (Vector& vector : vectors) {
    if (vector.name.find("_p2_10b_") != std::string::npos) {
      vector.required = false;
    }
  }
  return vectors;
}

}  // namespace perdix
