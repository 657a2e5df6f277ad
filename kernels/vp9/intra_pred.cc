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

// Round2(sum, 1), Round2(sum, 2).
int Average2(int a, int b) { return (a + b + 1) >> 1; }
int Average3(int a, int b, int c) { return (a + 2 * b + c + 2) >> 2; }

// The predicted block of one component (VP9 8.5.1.2): pred[i][j], row i and
// column j, as the specification writes it.
template <typename Sample>
class Prediction {
 public:
  Prediction(const Edges<Sample>& edges, uint32_t mode, uint32_t have, int size,
             int bit_depth)
      : edges_(edges), size_(size), bit_depth_(bit_depth) {
    Predict(mode, have);
  }

  int At(int i, int j) const { return pred_[i][j]; }

 private:
  void Predict(uint32_t mode, uint32_t have) {
    switch (mode) {
      case kDcPred:
        return Dc(have);
      case kVPred:
        return V();
      case kHPred:
        return H();
      case kD45Pred:
        return D45();
      case kD135Pred:
        return D135();
      case kD117Pred:
        return D117();
      case kD153Pred:
        return D153();
      case kD207Pred:
        return D207();
      case kD63Pred:
        return D63();
      default:
        return Tm();
    }
  }

  int Above(int i) const { return edges_.Above(i); }
  int Left(int i) const { return edges_.Left(i); }
  // The column left of the block from its corner down: Corner(-1) is above it.
  int Corner(int i) const { return i < 0 ? Above(-1) : Left(i); }

  // pred[i][j] = value(i, j).
  template <typename Value>
  void Set(const Value& value) {
    for (int i = 0; i < size_; ++i) {
      for (int j = 0; j < size_; ++j) pred_[i][j] = value(i, j);
    }
  }

  void Dc(uint32_t have) {
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
    const int mean =
        count == 0 ? 1 << (bit_depth_ - 1) : (sum + (count >> 1)) / count;
    Set([&](int, int) { return mean; });
  }

  void V() {
    Set([&](int, int j) { return Above(j); });
  }

  void H() {
    Set([&](int i, int) { return Left(i); });
  }

  void D45() {
    Set([&](int i, int j) {
      return i + j + 2 < size_ * 2
                 ? Average3(Above(i + j), Above(i + j + 1), Above(i + j + 2))
                 : Above(2 * size_ - 1);
    });
  }

  void D63() {
    Set([&](int i, int j) {
      const int i2 = i / 2;
      return (i & 1)
                 ? Average3(Above(i2 + j), Above(i2 + j + 1), Above(i2 + j + 2))
                 : Average2(Above(i2 + j), Above(i2 + j + 1));
    });
  }

  void D117() {
    for (int j = 0; j < size_; ++j) {
      pred_[0][j] = Average2(Above(j - 1), Above(j));
    }
    pred_[1][0] = Average3(Left(0), Above(-1), Above(0));
    for (int j = 1; j < size_; ++j) {
      pred_[1][j] = Average3(Above(j - 2), Above(j - 1), Above(j));
    }
    for (int i = 2; i < size_; ++i) {
      pred_[i][0] = Average3(Corner(i - 3), Left(i - 2), Left(i - 1));
      for (int j = 1; j < size_; ++j) pred_[i][j] = pred_[i - 2][j - 1];
    }
  }

  void D135() {
    pred_[0][0] = Average3(Left(0), Above(-1), Above(0));
    for (int j = 1; j < size_; ++j) {
      pred_[0][j] = Average3(Above(j - 2), Above(j - 1), Above(j));
    }
    for (int i = 1; i < size_; ++i) {
      pred_[i][0] = Average3(Corner(i - 2), Left(i - 1), Left(i));
      for (int j = 1; j < size_; ++j) pred_[i][j] = pred_[i - 1][j - 1];
    }
  }

  void D153() {
    pred_[0][0] = Average2(Left(0), Above(-1));
    pred_[0][1] = Average3(Left(0), Above(-1), Above(0));
    for (int j = 2; j < size_; ++j) {
      pred_[0][j] = Average3(Above(j - 3), Above(j - 2), Above(j - 1));
    }
    for (int i = 1; i < size_; ++i) {
      pred_[i][0] = Average2(Left(i - 1), Left(i));
      pred_[i][1] = Average3(Corner(i - 2), Left(i - 1), Left(i));
      for (int j = 2; j < size_; ++j) pred_[i][j] = pred_[i - 1][j - 2];
    }
  }

  void D207() {
    const int last = size_ - 1;
    for (int j = 0; j < size_; ++j) pred_[last][j] = Left(last);
    for (int i = last - 1; i >= 0; --i) {
      pred_[i][0] = Average2(Left(i), Left(i + 1));
      pred_[i][1] = Average3(Left(i), Left(i + 1), Left(std::min(i + 2, last)));
      for (int j = 2; j < size_; ++j) pred_[i][j] = pred_[i + 1][j - 2];
    }
  }

  void Tm() {
    Set([&](int i, int j) {
      return std::clamp(Above(j) + Left(i) - Above(-1), 0,
                        (1 << bit_depth_) - 1);
    });
  }

  const Edges<Sample>& edges_;
  const int size_;
  const int bit_depth_;
  int pred_[kMaxIntraSize][kMaxIntraSize];
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
    Sample* line = target.data + i * target.stride;
    for (int j = 0; j < width; ++j) {
      line[j * target.sample_step] = static_cast<Sample>(prediction.At(i, j));
    }
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
