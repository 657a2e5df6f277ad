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
#include <type_traits>

#include "kernels/vp9/kernels.h"
#include "kernels/vp9/transform_block.h"

namespace perdix::vp9 {
namespace {

constexpr int kMaxSize = 32;

constexpr int32_t WrapAdd(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) +
                              static_cast<uint32_t>(b));
}
constexpr int32_t WrapSub(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) -
                              static_cast<uint32_t>(b));
}

// The array T of VP9 8.7.1 for kLanes rows or columns at once: each function
// does the same to every lane.
template <typename Sample, int kLanes>
class TransformArray {
 public:
  int32_t (&operator[](int i))[kLanes] { return t_[i]; }

  // What InverseDct gives everywhere if only T[0] is not zero.
  static int32_t InverseDc(int32_t dc) {
    return Round(Multiply(dc, Cos64(16)));
  }

  // ---- VP9 8.7.1.2, 8.7.1.3: DCT of 1 << n coefficients ----
  void InverseDct(int n) {
    PermuteDct(n);
    if (n == 5) {
      for (int i = 0; i < 8; ++i) B(16 + i, 31 - i, 3 + 4 * Brev(3, 7 - i), 0);
    }
    if (n >= 4) {
      for (int i = 0; i < 4; ++i) B(8 + i, 15 - i, 6 + 8 * Brev(2, 3 - i), 0);
    }
    if (n == 5) {
      for (int i = 0; i < 8; ++i) H(16 + 2 * i, 17 + 2 * i, i & 1);
    }
    if (n >= 3) {
      for (int i = 0; i < 2; ++i) B(4 + i, 7 - i, 28 - 16 * i, 0);
    }
    if (n >= 4) {
      for (int i = 0; i < 4; ++i) H(8 + 2 * i, 9 + 2 * i, i & 1);
    }
    if (n == 5) {
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
          B(30 - 4 * i - j, 17 + 4 * i + j, 28 - 16 * i + 32 * j, 1);
        }
      }
    }
    for (int i = 0; i < 2; ++i) B(2 * i, 2 * i + 1, 16 + 8 * i, 1 - i);
    if (n >= 3) {
      for (int i = 0; i < 2; ++i) H(4 + 2 * i, 5 + 2 * i, i);
    }
    if (n >= 4) {
      for (int i = 0; i < 2; ++i) B(14 - i, 9 + i, 24 + 32 * i, 1);
    }
    if (n == 5) {
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 2; ++j) {
          H(16 + 4 * i + j, 19 + 4 * i - j, i & 1);
        }
      }
    }
    for (int i = 0; i < 2; ++i) H(i, 3 - i, 0);
    if (n >= 3) B(6, 5, 16, 1);
    if (n >= 4) {
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) H(8 + 4 * i + j, 11 + 4 * i - j, i);
      }
    }
    if (n == 5) {
      for (int i = 0; i < 4; ++i) B(29 - i, 18 + i, 24 + 32 * (i >> 1), 1);
    }
    if (n >= 3) {
      for (int i = 0; i < 4; ++i) H(i, 7 - i, 0);
    }
    if (n >= 4) {
      for (int i = 0; i < 2; ++i) B(13 - i, 10 + i, 16, 1);
    }
    if (n == 5) {
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 4; ++j) H(16 + 8 * i + j, 23 + 8 * i - j, i);
      }
    }
    if (n >= 4) {
      for (int i = 0; i < 8; ++i) H(i, 15 - i, 0);
    }
    if (n == 5) {
      for (int i = 0; i < 4; ++i) B(27 - i, 20 + i, 16, 1);
      for (int i = 0; i < 16; ++i) H(i, 31 - i, 0);
    }
  }

  // ---- VP9 8.7.1.6 to 8.7.1.9: ADST of 1 << n coefficients, n = 2..4 ----
  void InverseAdst(int n) {
    if (n == 2) {
      InverseAdst4();
    } else if (n == 3) {
      InverseAdst8();
    } else {
      InverseAdst16();
    }
  }

  // ---- VP9 8.7.1.10: Walsh-Hadamard of 4 coefficients ----
  void InverseWht(int shift) {
    for (int lane = 0; lane < kLanes; ++lane) {
      int32_t a = t_[0][lane] >> shift;
      int32_t c = t_[1][lane] >> shift;
      int32_t d = t_[2][lane] >> shift;
      int32_t b = t_[3][lane] >> shift;
      a = WrapAdd(a, c);
      d = WrapSub(d, b);
      const int32_t e = WrapSub(a, d) >> 1;
      b = WrapSub(e, b);
      c = WrapSub(e, c);
      t_[0][lane] = WrapSub(a, b);
      t_[1][lane] = b;
      t_[2][lane] = c;
      t_[3][lane] = WrapAdd(d, c);
    }
  }

 private:
  // Sums of products: unsigned, so that wrapping is defined.
  using Product = std::conditional_t<sizeof(Sample) == 1, uint32_t, uint64_t>;

  static Product Multiply(int32_t value, int32_t factor) {
    return static_cast<Product>(value) * static_cast<Product>(factor);
  }
  // Round2(sum, 14).
  static int32_t Round(Product sum) {
    using Signed = std::make_signed_t<Product>;
    return static_cast<int32_t>(
        static_cast<Signed>(sum + (Product{1} << (kCosBits - 1))) >> kCosBits);
  }

  // Butterfly rotation; flip exchanges the results.
  void B(int a, int b, int angle, int flip) {
    const int32_t cos = Cos64(angle);
    const int32_t sin = Sin64(angle);
    int32_t* const ta = t_[a];
    int32_t* const tb = t_[b];
    int32_t* const out_x = flip ? tb : ta;
    int32_t* const out_y = flip ? ta : tb;
    for (int lane = 0; lane < kLanes; ++lane) {
      const Product x = Multiply(ta[lane], cos) - Multiply(tb[lane], sin);
      const Product y = Multiply(ta[lane], sin) + Multiply(tb[lane], cos);
      out_x[lane] = Round(x);
      out_y[lane] = Round(y);
    }
  }

  // Hadamard rotation; flip negates the difference's operands: H(b, a).
  void H(int a, int b, int flip) {
    int32_t* const ta = t_[flip ? b : a];
    int32_t* const tb = t_[flip ? a : b];
    for (int lane = 0; lane < kLanes; ++lane) {
      const int32_t x = ta[lane];
      const int32_t y = tb[lane];
      ta[lane] = WrapAdd(x, y);
      tb[lane] = WrapSub(x, y);
    }
  }

  // Butterfly rotation into S, not yet rounded.
  void SB(int a, int b, int angle, int flip) {
    const int32_t cos = Cos64(angle);
    const int32_t sin = Sin64(angle);
    Product* const out_x = s_[flip ? b : a];
    Product* const out_y = s_[flip ? a : b];
    for (int lane = 0; lane < kLanes; ++lane) {
      const int32_t x = t_[a][lane];
      const int32_t y = t_[b][lane];
      out_x[lane] = Multiply(x, cos) - Multiply(y, sin);
      out_y[lane] = Multiply(x, sin) + Multiply(y, cos);
    }
  }

  // Hadamard rotation of S, rounded into T.
  void SH(int a, int b) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const Product x = s_[a][lane];
      const Product y = s_[b][lane];
      t_[a][lane] = Round(x + y);
      t_[b][lane] = Round(x - y);
    }
  }

  void PermuteDct(int n) {
    int32_t copy[kMaxSize][kLanes];
    std::memcpy(copy, t_, sizeof(t_[0]) << n);
    for (int i = 0; i < 1 << n; ++i) {
      std::memcpy(t_[i], copy[Brev(n, i)], sizeof(t_[0]));
    }
  }

  // Odd inputs from the start, even ones from the end.
  void PermuteAdstInput(int n) {
    int32_t copy[kMaxSize][kLanes];
    std::memcpy(copy, t_, sizeof(t_[0]) << n);
    for (int i = 0; i < 1 << n; ++i) {
      const int from = (i & 1) ? i - 1 : (1 << n) - 1 - i;
      std::memcpy(t_[i], copy[from], sizeof(t_[0]));
    }
  }

  template <int kSize>
  void PermuteAdstOutput(const int (&order)[kSize]) {
    int32_t copy[kSize][kLanes];
    std::memcpy(copy, t_, sizeof(copy));
    for (int i = 0; i < kSize; ++i) {
      const bool negative = order[i] < 0;
      const int from = negative ? ~order[i] : order[i];
      for (int lane = 0; lane < kLanes; ++lane) {
        t_[i][lane] =
            negative ? WrapSub(0, copy[from][lane]) : copy[from][lane];
      }
    }
  }

  void InverseAdst4() {
    for (int lane = 0; lane < kLanes; ++lane) {
      const int32_t t0 = t_[0][lane];
      const int32_t t1 = t_[1][lane];
      const int32_t t2 = t_[2][lane];
      const int32_t t3 = t_[3][lane];
      const Product s0 =
          Multiply(t0, kSinpi1) + Multiply(t2, kSinpi4) + Multiply(t3, kSinpi2);
      const Product s1 =
          Multiply(t0, kSinpi2) - Multiply(t2, kSinpi1) - Multiply(t3, kSinpi4);
      const Product s2 = Multiply(WrapAdd(WrapSub(t0, t2), t3), kSinpi3);
      const Product s3 = Multiply(t1, kSinpi3);
      t_[0][lane] = Round(s0 + s3);
      t_[1][lane] = Round(s1 + s3);
      t_[2][lane] = Round(s2);
      t_[3][lane] = Round(s0 + s1 - s3);
    }
  }

  void InverseAdst8() {
    PermuteAdstInput(3);
    for (int i = 0; i < 4; ++i) SB(2 * i, 1 + 2 * i, 30 - 8 * i, 1);
    for (int i = 0; i < 4; ++i) SH(i, 4 + i);
    for (int i = 0; i < 2; ++i) SB(4 + 3 * i, 5 + i, 24 - 16 * i, 1);
    for (int i = 0; i < 2; ++i) SH(4 + i, 6 + i);
    for (int i = 0; i < 2; ++i) H(i, 2 + i, 0);
    for (int i = 0; i < 2; ++i) B(2 + 4 * i, 3 + 4 * i, 16, 1);
    PermuteAdstOutput(kAdst8Order);
  }

  void InverseAdst16() {
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

  int32_t t_[kMaxSize][kLanes];
  Product s_[16][kLanes];
};

// ---- VP9 8.7.2: two dimensions ----

// The residual in raster order, rows of kSize.
template <typename Sample, int kSizeLog2>
class Residual {
 public:
  static constexpr int kSize = 1 << kSizeLog2;

  // coefficients: a square of stored columns and rows, the rest is zero.
  template <typename Coefficient>
  Residual(const Coefficient* coefficients, int stored, uint32_t tx_type,
           bool lossless) {
    for (int i = stored; i < kSize; ++i) std::fill_n(rows_[i], kSize, 0);
    for (int i = 0; i < stored; i += kLanes) {
      Array t;
      for (int j = 0; j < kSize; ++j) {
        for (int lane = 0; lane < kLanes; ++lane) {
          t[j][lane] = j < stored ? coefficients[(i + lane) * stored + j] : 0;
        }
      }
      Transform(t, (tx_type & kAdstRows) != 0, lossless, kWhtRowShift);
      for (int j = 0; j < kSize; ++j) {
        for (int lane = 0; lane < kLanes; ++lane) {
          rows_[i + lane][j] = t[j][lane];
        }
      }
    }
    for (int j = 0; j < kSize; j += kLanes) {
      Array t;
      for (int i = 0; i < kSize; ++i) {
        std::copy_n(&rows_[i][j], kLanes, t[i]);
      }
      Transform(t, (tx_type & kAdstColumns) != 0, lossless, 0);
      for (int i = 0; i < kSize; ++i) {
        for (int lane = 0; lane < kLanes; ++lane) {
          rows_[i][j + lane] = lossless ? t[i][lane] : RoundOutput(t[i][lane]);
        }
      }
    }
  }

  // DCT_DCT of nothing but the DC: in both directions and for every size, each
  // output is the same rotation of it.
  explicit Residual(int32_t dc) {
    const int32_t value = RoundOutput(Array::InverseDc(Array::InverseDc(dc)));
    std::fill_n(rows_[0], kSize, value);
    for (int i = 1; i < kSize; ++i) std::copy_n(rows_[0], kSize, rows_[i]);
  }

  const int32_t* Row(int i) const { return rows_[i]; }

 private:
  static constexpr int kLanes = 4;  // divides every size that is stored
  static constexpr int kOutputShift = OutputShift(kSizeLog2);

  using Array = TransformArray<Sample, kLanes>;

  static void Transform(Array& t, bool adst, bool lossless, int wht_shift) {
    if (lossless) {
      t.InverseWht(wht_shift);
    } else if (adst) {
      t.InverseAdst(kSizeLog2);
    } else {
      t.InverseDct(kSizeLog2);
    }
  }

  static int32_t RoundOutput(int32_t value) {
    return WrapAdd(value, 1 << (kOutputShift - 1)) >> kOutputShift;
  }

  int32_t rows_[kSize][kSize];
};

template <typename Sample, int kSizeLog2>
void AddResidualOfSize(const KernelArgs& args, const TransformBlock& block) {
  using Coefficient = std::conditional_t<sizeof(Sample) == 1, int16_t, int32_t>;
  static constexpr int kSize = 1 << kSizeLog2;
  const int stored = std::min(4 << TransformStoredLog2(block.shape), kSize);
  // Copied, because the list is one of 16-bit units.
  Coefficient coefficients[kSize * kSize];
  std::memcpy(coefficients, &args.lists.coefficients[block.coefficients],
              sizeof(Coefficient) * static_cast<size_t>(stored * stored));
  const uint32_t tx_type = TransformType(block.shape);
  const bool lossless = ParamsOf(args).lossless != 0;
  const Residual<Sample, kSizeLog2> residual =
      block.eob == 1 && tx_type == 0 && !lossless
          ? Residual<Sample, kSizeLog2>(coefficients[0])
          : Residual<Sample, kSizeLog2>(coefficients, stored, tx_type,
                                        lossless);
  const TargetBlock<Sample> target = LocateBlock<Sample>(args, block, kSize);
  const int32_t max_sample = (1 << args.params->bit_depth) - 1;
  for (int i = 0; i < target.height; ++i) {
    const int32_t* row = residual.Row(i);
    Sample* line = target.pixels + i * target.stride + target.component;
    for (int j = 0; j < target.width; ++j) {
      Sample& sample = line[j * target.components];
      sample = static_cast<Sample>(
          std::clamp(WrapAdd(sample, row[j]), 0, max_sample));
    }
  }
}

}  // namespace

template <typename Sample>
void AddResidual(const KernelArgs& args, const TransformBlock& block) {
  switch (TransformSize(block.shape)) {
    case 0:
      return AddResidualOfSize<Sample, 2>(args, block);
    case 1:
      return AddResidualOfSize<Sample, 3>(args, block);
    case 2:
      return AddResidualOfSize<Sample, 4>(args, block);
    default:
      return AddResidualOfSize<Sample, 5>(args, block);
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
