// SPDX-License-Identifier: BSD-2-Clause
// Intra prediction (VP9 8.5.1): the edge above and left of a transform block,
// the ten prediction modes, then the block's residual.
//
// Reads: intra_blocks, intra_transforms, coefficients, the target's planes left
// of and above the block. Writes: the target's planes.
// Work item: one IntraBlock (chroma: U and V). Order: the list's, after the
// neighbours.
#include <algorithm>
#include <cstdint>

#include "kernels/vp9/intra_edges.h"
#include "kernels/vp9/inverse_transform.h"
#include "kernels/vp9/kernels.h"

namespace perdix::vp9 {
namespace {

// Round2(a + b, 1) and Round2(a + 2 * b + c, 2).
int Average2(int a, int b) { return (a + b + 1) >> 1; }
int Average3(int a, int b, int c) { return (a + 2 * b + c + 2) >> 2; }

// ---- modes (VP9 8.5.1.2) ----

// The predicted block, row i and column j as in the specification.
template <typename Sample>
class Prediction {
 public:
  Prediction(const Edges<Sample>& edges, uint32_t mode, uint32_t have, int size,
             int bit_depth)
      : edges_(edges), size_(size), bit_depth_(bit_depth) {
    switch (mode) {
      case kDcPred:
        PredictDc(have);
        break;
      case kVPred:
        PredictV();
        break;
      case kHPred:
        PredictH();
        break;
      case kD45Pred:
        PredictD45();
        break;
      case kD135Pred:
        PredictD135();
        break;
      case kD117Pred:
        PredictD117();
        break;
      case kD153Pred:
        PredictD153();
        break;
      case kD207Pred:
        PredictD207();
        break;
      case kD63Pred:
        PredictD63();
        break;
      default:
        PredictTm();
        break;
    }
  }

  const Sample* Row(int i) const { return pred_[i]; }

 private:
  int Left(int i) const { return edges_.Left(i); }
  // The column left of the block from its corner down: Corner(-1) is above it.
  int Corner(int i) const { return i < 0 ? Above(-1) : Left(i); }
  int Above(int i) const { return edges_.Above(i); }
  void Set(int i, int j, int value) {
    pred_[i][j] = static_cast<Sample>(value);
  }

  void Fill(int value) {
    for (int i = 0; i < size_; ++i) {
      std::fill_n(pred_[i], size_, static_cast<Sample>(value));
    }
  }

  void PredictDc(uint32_t have) {
    int sum = 0;
    int count = 0;
    if (have & PERDIX_INTRA_HAVE_LEFT) {
      for (int i = 0; i < size_; ++i) sum += Left(i);
      count += size_;
    }
    if (have & PERDIX_INTRA_HAVE_ABOVE) {
      for (int j = 0; j < size_; ++j) sum += Above(j);
      count += size_;
    }
    Fill(count == 0 ? 1 << (bit_depth_ - 1) : (sum + (count >> 1)) / count);
  }

  void PredictV() {
    for (int i = 0; i < size_; ++i) {
      for (int j = 0; j < size_; ++j) Set(i, j, Above(j));
    }
  }

  void PredictH() {
    for (int i = 0; i < size_; ++i) {
      std::fill_n(pred_[i], size_, static_cast<Sample>(Left(i)));
    }
  }

  void PredictD45() {
    for (int i = 0; i < size_; ++i) {
      for (int j = 0; j < size_; ++j) {
        const int k = i + j;
        Set(i, j,
            k + 2 < 2 * size_ ? Average3(Above(k), Above(k + 1), Above(k + 2))
                              : Above(2 * size_ - 1));
      }
    }
  }

  void PredictD63() {
    for (int i = 0; i < size_; ++i) {
      for (int j = 0; j < size_; ++j) {
        const int k = i / 2 + j;
        Set(i, j,
            (i & 1) ? Average3(Above(k), Above(k + 1), Above(k + 2))
                    : Average2(Above(k), Above(k + 1)));
      }
    }
  }

  void PredictD117() {
    for (int j = 0; j < size_; ++j) {
      Set(0, j, Average2(Above(j - 1), Above(j)));
      Set(1, j,
          Average3(j == 0 ? Left(0) : Above(j - 2), Above(j - 1), Above(j)));
    }
    for (int i = 2; i < size_; ++i) {
      Set(i, 0, Average3(Corner(i - 3), Left(i - 2), Left(i - 1)));
      for (int j = 1; j < size_; ++j) Set(i, j, pred_[i - 2][j - 1]);
    }
  }

  void PredictD135() {
    Set(0, 0, Average3(Left(0), Above(-1), Above(0)));
    for (int j = 1; j < size_; ++j) {
      Set(0, j, Average3(Above(j - 2), Above(j - 1), Above(j)));
    }
    for (int i = 1; i < size_; ++i) {
      Set(i, 0, Average3(Corner(i - 2), Left(i - 1), Left(i)));
      for (int j = 1; j < size_; ++j) Set(i, j, pred_[i - 1][j - 1]);
    }
  }

  void PredictD153() {
    Set(0, 0, Average2(Above(-1), Left(0)));
    Set(0, 1, Average3(Left(0), Above(-1), Above(0)));
    for (int j = 2; j < size_; ++j) {
      Set(0, j, Average3(Above(j - 3), Above(j - 2), Above(j - 1)));
    }
    for (int i = 1; i < size_; ++i) {
      Set(i, 0, Average2(Left(i - 1), Left(i)));
      Set(i, 1, Average3(Corner(i - 2), Left(i - 1), Left(i)));
      for (int j = 2; j < size_; ++j) Set(i, j, pred_[i - 1][j - 2]);
    }
  }

  void PredictD207() {
    const int last = size_ - 1;
    for (int i = last; i >= 0; --i) {
      const int next = std::min(i + 1, last);
      const int after = std::min(i + 2, last);
      Set(i, 0, Average2(Left(i), Left(next)));
      Set(i, 1, Average3(Left(i), Left(next), Left(after)));
      for (int j = 2; j < size_; ++j) {
        Set(i, j, i == last ? Left(last) : pred_[i + 1][j - 2]);
      }
    }
  }

  void PredictTm() {
    const int max_sample = (1 << bit_depth_) - 1;
    for (int i = 0; i < size_; ++i) {
      for (int j = 0; j < size_; ++j) {
        Set(i, j, std::clamp(Left(i) + Above(j) - Above(-1), 0, max_sample));
      }
    }
  }

  const Edges<Sample>& edges_;
  const int size_;
  const int bit_depth_;
  Sample pred_[kMaxIntraSize][kMaxIntraSize];
};

// ---- one record ----

// component: of the plane, 1 for V.
template <typename Sample>
void PredictComponent(const KernelArgs& args, const IntraBlock& block,
                      uint32_t component) {
  const ComponentBlock<Sample> target =
      LocateComponent<Sample>(args, block, component);
  const int bit_depth = static_cast<int>(args.params->bit_depth);
  const uint32_t have = IntraHave(block.shape);
  const Edges<Sample> edges(target, have, bit_depth);
  const Prediction<Sample> prediction(edges, IntraMode(block.shape), have,
                                      target.size, bit_depth);
  const int width = std::min(target.size, target.columns_left);
  const int height = std::min(target.size, target.rows_left);
  for (int i = 0; i < height; ++i) {
    const Sample* row = prediction.Row(i);
    Sample* line = target.data + i * target.stride;
    for (int j = 0; j < width; ++j) line[j * target.sample_step] = row[j];
  }
}

}  // namespace

template <typename Sample>
void IntraPred(const KernelArgs& args, Range range) {
  const auto transforms = args.lists.Of(kIntraTransforms);
  for (uint32_t i = range.begin; i < range.end; ++i) {
    const IntraBlock& block = args.lists.Of(kIntraBlocks)[i];
    PredictComponent<Sample>(args, block, 0);
    if (IntraPlane(block.shape) == kChroma) {
      PredictComponent<Sample>(args, block, 1);
    }
    for (const uint32_t residual : {block.residual0, block.residual1}) {
      if (residual != PERDIX_NONE) {
        AddResidual<Sample>(args, transforms[residual]);
      }
    }
  }
}

template void IntraPred<uint8_t>(const KernelArgs&, Range);
template void IntraPred<uint16_t>(const KernelArgs&, Range);

}  // namespace perdix::vp9
