// SPDX-License-Identifier: BSD-2-Clause
// A model of VMAF: what a viewer thinks of a frame, from its scores.
#ifndef PERDIX_CLIENT_QUALITY_VMAF_MODEL_H_
#define PERDIX_CLIENT_QUALITY_VMAF_MODEL_H_

#include <memory>
#include <string>
#include <vector>

#include "client/quality/scores.h"
#include "kernels/status.h"

struct svm_model;

namespace perdix::client {

class VmafModel {
 public:
  // name: "v0.6.1", "neg" (the same with limited gain), or the path of a file
  // like libvmaf's. The first two are read from vmaf_v0.6.1.json, in perdix's
  // folder of data or in libvmaf's. Models of other kinds are refused.
  static Status Open(const std::string& name,
                     std::unique_ptr<VmafModel>* model);
  ~VmafModel();

  // Contrast that the decoded pictures have more of must not count
  // (QualityInput::limit_gain).
  bool limit_gain() const { return limit_gain_; }

  // The scores have all features of the model. Any thread.
  double Predict(const FrameScores& scores) const;

 private:
  struct Free {
    void operator()(svm_model* model) const;
  };
  struct Line {
    double slope;
    double intercept;
  };
  struct Feature {
    Score score;
    Line line;
  };

  VmafModel() = default;
  // Throws what std::exception is the base of, and says what is wrong.
  void Read(const std::string& text);

  std::unique_ptr<svm_model, Free> svm_;
  std::vector<Feature> features_;
  Line score_line_ = {};
  double lowest_ = 0;
  double highest_ = 100;
  bool limit_gain_ = false;
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_QUALITY_VMAF_MODEL_H_
