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

// What is special about the streams of a codec.
struct CodecStreams {
  const char* name;     // in INDEX.tsv
  const char* clips;    // folder in the repository
  const char* speed;    // folder among the vectors
  const char* damaged;  // what names of damaged streams contain
};

constexpr CodecStreams kCodecs[] = {
    {"vp9", "tests/clips", "speed", "-invalid/"},
    {"av1", "tests/clips/av1", "speed/av1", "av1-fuzz/"},
};

const CodecStreams& Find(const std::string& codec) {
  return *std::find_if(
      std::begin(kCodecs), std::end(kCodecs),
      [&](const CodecStreams& row) { return codec == row.name; });
}

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

constexpr char kFrameList[] = ".frames.md5";  // behind a stream's name

// For streams without a row in INDEX.tsv.
bool NameSaysForNodes(const std::string& name) {
  return name.find("444") == std::string::npos;
}

Vector MakeVector(const fs::path& folder, const std::string& name) {
  Vector vector;
  vector.name = name;
  vector.path = (folder / name).string();
  vector.frame_md5s = ReadLines(vector.path + kFrameList);
  vector.for_nodes = NameSaysForNodes(name);
  return vector;
}

bool Holds(const std::vector<Vector>& vectors, const std::string& name) {
  return std::any_of(vectors.begin(), vectors.end(),
                     [&](const Vector& vector) { return vector.name == name; });
}

// Every stream directly in folder/below that has a list of frames and is not
// among the vectors yet.
void AddFolder(const fs::path& folder, const std::string& below,
               std::vector<Vector>* vectors) {
  if (!fs::is_directory(folder / below)) return;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder / below)) {
    const std::string list = entry.path().filename().string();
    if (!list.ends_with(kFrameList)) continue;
    const std::string stream = list.substr(0, list.rfind(kFrameList));
    const std::string name = (fs::path(below) / stream).string();
    if (!Holds(*vectors, name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    vectors->push_back(MakeVector(folder, name));
  }
}

}  // namespace

std::vector<Vector> Clips(const std::string& codec) {
  std::vector<Vector> clips;
  AddFolder(fs::path(PERDIX_SOURCE_DIR) / Find(codec).clips, "", &clips);
  return clips;
}

std::string VectorFolder() {
  const char* folder = std::getenv("PERDIX_VECTORS");
  if (folder != nullptr) return folder;
  return (fs::path(PERDIX_SOURCE_DIR).parent_path() / "shared/vectors")
      .string();
}

std::vector<Vector> Vectors(const std::string& codec) {
  std::vector<Vector> vectors;
  const CodecStreams& streams = Find(codec);
  const fs::path folder = VectorFolder();
  const std::vector<std::string> rows = ReadLines(folder / "INDEX.tsv");
  for (size_t i = 1; i < rows.size(); ++i) {
    const std::vector<std::string> row = SplitAtTabs(rows[i]);
    if (row.size() <= kWholeMd5 || row[kCodec] != codec) continue;
    Vector vector = MakeVector(folder, row[kFile]);
    vector.whole_md5 = row[kWholeMd5];
    vector.damaged = row[kFile].find(streams.damaged) != std::string::npos;
    vector.for_nodes = row[kPixFmt] == "yuv420p" ||
                       row[kPixFmt] == "yuv420p10le" || row[kPixFmt] == "gray";
    vectors.push_back(vector);
  }
  AddFolder(folder, streams.speed, &vectors);
  return vectors;
}

}  // namespace perdix
