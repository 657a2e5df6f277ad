// SPDX-License-Identifier: BSD-2-Clause
#include "client/quality/vmaf_model.h"

#include <libsvm/svm.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

namespace perdix::client {
namespace {

using nlohmann::json;

constexpr char kFileName[] = "vmaf_v0.6.1.json";
constexpr const char* kFolders[] = {PERDIX_DATA_DIR, "/usr/share/model",
                                    "/usr/local/share/model"};

struct FeatureName {
  const char* name;
  Score score;
};

// What libvmaf calls the scores in its models.
constexpr FeatureName kFeatureNames[] = {
    {"VMAF_integer_feature_adm2_score", kScoreAdm2},
    {"VMAF_integer_feature_adm3_score", kScoreAdm3},
    {"VMAF_integer_feature_aim_score", kScoreAim},
    {"VMAF_integer_feature_motion2_score", kScoreMotion2},
    {"VMAF_integer_feature_motion3_score", kScoreMotion3},
    {"VMAF_integer_feature_vif_scale0_score", kScoreVifScale0},
    {"VMAF_integer_feature_vif_scale1_score", kScoreVifScale1},
    {"VMAF_integer_feature_vif_scale2_score", kScoreVifScale2},
    {"VMAF_integer_feature_vif_scale3_score", kScoreVifScale3},
};

Score ScoreOf(const std::string& name) {
  for (const FeatureName& row : kFeatureNames) {
    if (name == row.name) return row.score;
  }
  throw std::runtime_error("feature " + name + " is not measured");
}

// Whether a feature's options limit the gain; throws for other options.
bool LimitsGain(const json& options) {
  bool limits = false;
  for (const auto& [name, value] : options.items()) {
    if ((name != "adm_enhn_gain_limit" && name != "vif_enhn_gain_limit") ||
        value.get<double>() != 1) {
      throw std::runtime_error("option " + name + " = " + value.dump() +
                               " of a feature, only a gain limit of 1 is "
                               "supported");
    }
    limits = true;
  }
  return limits;
}

// A file in memory, for a library that wants a path.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& text)
      : descriptor_(memfd_create("vmaf", MFD_CLOEXEC)) {
    size_t done = 0;
    while (descriptor_ >= 0 && done < text.size()) {
      const ssize_t count =
          write(descriptor_, text.data() + done, text.size() - done);
      if (count <= 0) throw std::runtime_error("memory for the model");
      done += static_cast<size_t>(count);
    }
  }
  ~MemoryFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string Path() const {
    return "/proc/self/fd/" + std::to_string(descriptor_);
  }

 private:
  const int descriptor_;
};

std::optional<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// The text of the model that perdix knows by name.
std::optional<std::string> ReadKnownModel() {
  for (const char* folder : kFolders) {
    std::optional<std::string> text =
        ReadFile(std::string(folder) + "/" + kFileName);
    if (text) return text;
  }
  return std::nullopt;
}

std::string KnownModelIsMissing() {
  std::string message = std::string("no ") + kFileName + " in";
  for (const char* folder : kFolders) message += std::string(" ") + folder;
  return message +
         "; libvmaf has it: --model FILE names the file, --model none leaves "
         "VMAF out";
}

}  // namespace

void VmafModel::Free::operator()(svm_model* model) const {
  svm_free_and_destroy_model(&model);
}

VmafModel::~VmafModel() = default;

Status VmafModel::Open(const std::string& name,
                       std::unique_ptr<VmafModel>* model) {
  const bool known = name == "v0.6.1" || name == "neg";
  const std::optional<std::string> text =
      known ? ReadKnownModel() : ReadFile(name);
  if (!text) {
    return Status(StatusCode::kInvalidArgument,
                  known ? KnownModelIsMissing()
                        : "VMAF: the model " + name + " cannot be read");
  }
  std::unique_ptr<VmafModel> read(new VmafModel);
  try {
    read->Read(*text);
  } catch (const std::exception& error) {
    return Status(StatusCode::kUnsupported,
                  "VMAF: the model " + name + ": " + error.what());
  }
  if (name == "neg") read->limit_gain_ = true;
  *model = std::move(read);
  return Status::Ok();
}

void VmafModel::Read(const std::string& text) {
  const json model = json::parse(text).at("model_dict");
  if (model.at("model_type") != "LIBSVMNUSVR" ||
      model.at("norm_type") != "linear_rescale") {
    throw std::runtime_error("type " + model.at("model_type").dump() +
                             " with norm " + model.at("norm_type").dump() +
                             ", must be LIBSVMNUSVR with linear_rescale");
  }
  const json& names = model.at("feature_names");
  const json& slopes = model.at("slopes");
  const json& intercepts = model.at("intercepts");
  const auto line = [&](size_t i) {
    return Line{slopes.at(i).get<double>(), intercepts.at(i).get<double>()};
  };
  score_line_ = line(0);
  for (size_t i = 0; i < names.size(); ++i) {
    features_.push_back({ScoreOf(names[i].get<std::string>()), line(i + 1)});
  }
  if (model.contains("feature_opts_dicts")) {
    for (const json& options : model.at("feature_opts_dicts")) {
      if (LimitsGain(options)) limit_gain_ = true;
    }
  }
  const json& clip = model.at("score_clip");
  lowest_ = clip.at(0).get<double>();
  highest_ = clip.at(1).get<double>();
  const MemoryFile file(model.at("model").get<std::string>());
  svm_.reset(svm_load_model(file.Path().c_str()));
  if (svm_ == nullptr) throw std::runtime_error("libsvm cannot read it");
}

double VmafModel::Predict(const FrameScores& scores) const {
  std::vector<svm_node> nodes;
  for (const Feature& feature : features_) {
    const int index = static_cast<int>(nodes.size()) + 1;
    nodes.push_back({index, feature.line.slope * scores[feature.score] +
                                feature.line.intercept});
  }
  nodes.push_back({-1, 0});
  const double y = svm_predict(svm_.get(), nodes.data());
  return std::clamp((y - score_line_.intercept) / score_line_.slope, lowest_,
                    highest_);
}

}  // namespace perdix::client
