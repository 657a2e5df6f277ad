// SPDX-License-Identifier: BSD-2-Clause
// Inverse transforms (VP9 8.7) and reconstruction (VP9 8.6.2): coefficients to
// residual, added to the prediction.
//
// Reads: inter_transforms, coefficients. Writes: the target's planes.
// Work item: one TransformBlock. Order: any, after the prediction.
//
// Numbers: a valid stream keeps T[] within 8 + BitDepth bits. Any other input
// is defined too: T[] and sums of T[] wrap at 32 bits; sums of products wrap at
// 32 bits for 8-bit samples and are exact otherwise.
#include "kernels/vp9/inverse_transform.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "kernels/vp9/dct_rotations.h"
#include "kernels/vp9/kernels.h"
#include "kernels/vp9/transform_block.h"

namespace perdix::vp9 {
namespace {

constexpr int32_t WrapAdd(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) +
                              static_cast<uint32_t>(b));
}
constexpr int32_t WrapSub(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) -
                              static_cast<uint32_t>(b));
}

// The array T of VP9 8.7.1, one row or column.
class Transform1d {
 public:
  explicit Transform1d(int bit_depth) : wraps_(bit_depth == 8) {}

  int32_t T[32];  // as many as the transform has are the caller's to set

  // ---- 8.7.1.2, 8.7.1.3: DCT of 1 << n coefficients, n = 2..5 ----

  void Dct(int n) {
    switch (n) {
      case 2:
        return Dct<2>();
      case 3:
        return Dct<3>();
      case 4:
        return Dct<4>();
      default:
        return Dct<5>();
    }
  }

  // ---- 8.7.1.9: ADST of 1 << n coefficients, n = 2..4 ----

  void Adst(int n) {
    if (n == 2) {
      Adst4();
    } else if (n == 3) {
      Adst8();
    } else {
      Adst16();
    }
  }

  // ---- 8.7.1.10: Walsh-Hadamard of 4 coefficients ----

  void Wht(int shift) {
    int32_t a = T[0] >> shift;
    int32_t c = T[1] >> shift;
    int32_t d = T[2] >> shift;
    int32_t b = T[3] >> shift;
    a = WrapAdd(a, c);
    d = WrapSub(d, b);
    const int32_t e = WrapSub(a, d) >> 1;
    b = WrapSub(e, b);
    c = WrapSub(e, c);
    T[0] = WrapSub(a, b);
    T[1] = b;
    T[2] = c;
    T[3] = WrapAdd(d, c);
  }

 private:
  // Round2(sum, 14).
  int32_t Round(int64_t sum) const {
    sum += 1 << (kCosBits - 1);
    return static_cast<int32_t>((wraps_ ? static_cast<int32_t>(sum) : sum) >>
                                kCosBits);
  }

  // ---- 8.7.1.1: butterfly and Hadamard rotation ----

  void B(int a, int b, int angle, int flip) {
    const int64_t x = T[a];
    const int64_t y = T[b];
    T[a] = Round(x * Cos64(angle) - y * Sin64(angle));
    T[b] = Round(x * Sin64(angle) + y * Cos64(angle));
    if (flip) std::swap(T[a], T[b]);
  }

  void H(int a, int b, int flip) {
    if (flip) std::swap(a, b);
    const int32_t x = T[a];
    const int32_t y = T[b];
    T[a] = WrapAdd(x, y);
    T[b] = WrapSub(x, y);
  }

  // The same by way of S, whose values are not rounded.
  void SB(int a, int b, int angle, int flip) {
    const int64_t x = T[a];
    const int64_t y = T[b];
    S[a] = x * Cos64(angle) - y * Sin64(angle);
    S[b] = x * Sin64(angle) + y * Cos64(angle);
    if (flip) std::swap(S[a], S[b]);
  }

  void SH(int a, int b) {
    const int64_t x = S[a];
    const int64_t y = S[b];
    T[a] = Round(x + y);
    T[b] = Round(x - y);
  }

  // n is known to the compiler, and so are all angles.
  template <int n>
  void Dct() {
    int32_t copy[1 << n];
    std::copy_n(T, 1 << n, copy);
    for (int i = 0; i < 1 << n; ++i) T[i] = copy[Brev(n, i)];
    RotateDct(
        n, [this](int a, int b, int angle, int flip) { B(a, b, angle, flip); },
        [this](int a, int b, int flip) { H(a, b, flip); });
  }

  // ---- 8.7.1.4, 8.7.1.5: permutations of the ADST ----

  void PermuteAdstInput(int n) {
    int32_t copy[16];
    std::copy_n(T, 1 << n, copy);
    for (int i = 0; i < 1 << n; ++i) {
      T[i] = copy[(i & 1) ? i - 1 : (1 << n) - 1 - i];
    }
  }

  template <int size>
  void PermuteAdstOutput(const int (&order)[size]) {
    int32_t copy[size];
    std::copy_n(T, size, copy);
    for (int i = 0; i < size; ++i) {
      T[i] = order[i] < 0 ? WrapSub(0, copy[~order[i]]) : copy[order[i]];
    }
  }

  // ---- 8.7.1.6 to 8.7.1.8 ----

  void Adst4() {
    const int64_t t0 = T[0], t1 = T[1], t2 = T[2], t3 = T[3];
    const int64_t s0 = kSinpi1 * t0 + kSinpi4 * t2 + kSinpi2 * t3;
    const int64_t s1 = kSinpi2 * t0 - kSinpi1 * t2 - kSinpi4 * t3;
    const int64_t s2 = int64_t{kSinpi3} * WrapAdd(WrapSub(T[0], T[2]), T[3]);
    const int64_t s3 = kSinpi3 * t1;
    T[0] = Round(s0 + s3);
    T[1] = Round(s1 + s3);
    T[2] = Round(s2);
    T[3] = Round(s0 + s1 - s3);
  }

  void Adst8() {
    PermuteAdstInput(3);
    for (int i = 0; i < 4; ++i) SB(2 * i, 1 + 2 * i, 30 - 8 * i, 1);
    for (int i = 0; i < 4; ++i) SH(i, 4 + i);
    for (int i = 0; i < 2; ++i) SB(4 + 3 * i, 5 + i, 24 - 16 * i, 1);
    for (int i = 0; i < 2; ++i) SH(4 + i, 6 + i);
    for (int i = 0; i < 2; ++i) H(i, 2 + i, 0);
    for (int i = 0; i < 2; ++i) B(2 + 4 * i, 3 + 4 * i, 16, 1);
    PermuteAdstOutput(kAdst8Order);
  }

  void Adst16() {
    PermuteAdstInput(4);
    for (int i = 0; i < 8; ++i) SB(2 * i, 1 + 2 * i, 31 - 4 * i, 1);
    for (int i = 0; i < 8; ++i) SH(i, 8 + i);
    for (int i = 0; i < 2; ++i) SB(8 + 2 * i, 9 + 2 * i, 28 - 16 * i, 1);
    for (int i = 0; i < 2; ++i) SB(13 + 2 * i, 12 + 2 * i, 4 + 16 * i, 1);
    for (int i = 0; i < 4; ++i) SH(8 + i, 12 + i);
    for (int i = 0; i < 4; ++i) H(i, 4 + i, 0);
    for (int i = 0; i < 2; ++i) {
      SB(4 + 8 * i, 5 + 8 * i, 24, 1);
      SB(7 + 8 * i, 6 + 8 * i, 8, 1);
    }
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) SH(4 + 8 * i + j, 6 + 8 * i + j);
    }
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) H(8 * i + j, 2 + 8 * i + j, 0);
    }
    // (x + y, x - y) or (x + y, y - x) by cos(pi / 4); the sign of the sum is
    // inside the rounding.
    B(2, 3, 48, 0);
    B(7, 6, 16, 0);
    B(11, 10, 16, 0);
    B(14, 15, 48, 0);
    PermuteAdstOutput(kAdst16Order);
  }

  int64_t S[16];
  const bool wraps_;  // sums of products, at 32 bits
};

// ---- VP9 8.7.2: two dimensions ----

// Dequant[i][j]: the coefficients of one block, which become its residual.
class Residual {
 public:
  Residual(const KernelArgs& args, const TransformBlock& block)
      : n_(2 + static_cast<int>(TransformSize(block.shape))),
        tx_type_(TransformType(block.shape)),
        lossless_(ParamsOf(args).lossless != 0),
        transform_(static_cast<int>(args.params->bit_depth)) {
    const int stored = std::min(4 << TransformStoredLog2(block.shape), size());
    const int16_t* coefficients = &args.lists.coefficients[block.coefficients];
    if (args.params->bit_depth == 8) {
      Rows<int16_t>(coefficients, stored);
    } else {
      Rows<int32_t>(coefficients, stored);
    }
    // A DC alone makes all columns alike.
    const bool dc = block.eob == 1 && tx_type_ == 0 && !lossless_;
    for (int j = 0; j < size(); ++j) (dc && j > 0) ? Repeat(j) : Column(j);
  }

  int size() const { return 1 << n_; }
  int32_t At(int i, int j) const { return dequant_[i][j]; }

 private:
  // coefficients: stored rows and columns of them; all others are zero, and so
  // are the rows below.
  template <typename Coefficient>
  void Rows(const int16_t* coefficients, int stored) {
    for (int i = 0; i < stored; ++i) {
      // Copied, because the list is one of 16-bit units.
      Coefficient row[32];
      const size_t bytes = sizeof(Coefficient) * static_cast<size_t>(stored);
      std::memcpy(row, coefficients + i * bytes / 2, bytes);
      std::copy_n(row, stored, transform_.T);
      std::fill(transform_.T + stored, transform_.T + size(), 0);
      Transform((tx_type_ & kAdstRows) != 0, kWhtRowShift);
      std::copy_n(transform_.T, size(), dequant_[i]);
    }
    for (int i = stored; i < size(); ++i) std::fill_n(dequant_[i], size(), 0);
  }

  void Column(int j) {
    for (int i = 0; i < size(); ++i) transform_.T[i] = dequant_[i][j];
    Transform((tx_type_ & kAdstColumns) != 0, 0);
    for (int i = 0; i < size(); ++i) dequant_[i][j] = Output(transform_.T[i]);
  }

  // Copies the column before.
  void Repeat(int j) {
    for (int i = 0; i < size(); ++i) dequant_[i][j] = dequant_[i][j - 1];
  }

  void Transform(bool adst, int wht_shift) {
    if (lossless_) {
      transform_.Wht(wht_shift);
    } else if (adst) {
      transform_.Adst(n_);
    } else {
      transform_.Dct(n_);
    }
  }

  int32_t Output(int32_t value) const {
    if (lossless_) return value;
    const int shift = OutputShift(n_);
    return WrapAdd(value, 1 << (shift - 1)) >> shift;
  }

  const int n_;
  const uint32_t tx_type_;
  const bool lossless_;
  Transform1d transform_;
  int32_t dequant_[32][32];
};

}  // namespace

template <typename Sample>
void AddResidual(const KernelArgs& args, const TransformBlock& block) {
  const Residual residual(args, block);
  const TargetBlock<Sample> target =
      LocateBlock<Sample>(args, block, residual.size());
  const int32_t max_sample = (1 << args.params->bit_depth) - 1;
  for (int i = 0; i < target.height; ++i) {
    Sample* line = target.pixels + i * target.stride + target.component;
    for (int j = 0; j < target.width; ++j) {
      Sample& sample = line[j * target.components];
      sample = static_cast<Sample>(
          std::clamp(WrapAdd(sample, residual.At(i, j)), 0, max_sample));
    }
  }
}

template <typename Sample>
void InverseTransform(const KernelArgs& args, Range range) {
  for (const TransformBlock& block :
       args.lists.Of(kInterTransforms)
           .subspan(range.begin, range.end - range.begin)) {
    AddResidual<Sample>(args, block);
  }
}

template void AddResidual<uint8_t>(const KernelArgs&, const TransformBlock&);
template void AddResidual<uint16_t>(const KernelArgs&, const TransformBlock&);
template void InverseTransform<uint8_t>(const KernelArgs&, Range);
template void InverseTransform<uint16_t>(const KernelArgs&, Range);

}  // namespace perdix::vp9
