// SPDX-License-Identifier: BSD-2-Clause
// Stands in for the codec's bool decoder: the same interface, but what is read
// is chosen and written (choices.h). This folder comes before the source tree
// in the include path of the maker, which compiles the codec's parser over it.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_BOOL_DECODER_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_BOOL_DECODER_H_

#include <cstdint>
#include <span>

#include "tests/conformance/make_stream/vp9/choices.h"

namespace perdix::vp9 {

class BoolDecoder {
 public:
  // <data> only says by its address which part of the frame this is.
  bool Init(std::span<const uint8_t> data) {
    encoder_ = &Choices::Current().Begin(data.data());
    return true;
  }

  // A symbol of a tile's mode info is known by where its probability is.
  template <typename Probability>
  bool Read(const Probability& probability) {
    const uint8_t* place = nullptr;
    if constexpr (sizeof(Probability) == 1) place = &probability;
    return Write(Choices::Current().Bool(uint32_t(probability), place),
                 uint32_t(probability));
  }
  uint32_t ReadFlat(const uint8_t& probability) { return Read(probability); }
  void Fill(int reads) { Choices::Current().Fill(reads); }
  bool ReadFilled(uint32_t probability) {
    return Write(Choices::Current().CoefficientBool(probability), probability);
  }
  uint32_t ReadFilledFlat(uint32_t probability) {
    return ReadFilled(probability);
  }
  uint32_t ReadFilledBit() { return Write(Choices::Current().Sign(), 128); }
  bool ReadBit() { return Read(128u); }
  uint32_t ReadLiteral(int count) {
    uint32_t literal = 0;
    while (count-- > 0) literal = literal << 1 | uint32_t{ReadBit()};
    return literal;
  }

  template <const auto& kTree, int kNode = 0>
  uint32_t ReadTree(const uint8_t* probabilities) {
    const uint32_t leaf = Choices::Current().Leaf(kTree, probabilities);
    WritePath(kTree, 0, leaf, probabilities);
    return leaf;
  }

  bool Overrun() const { return false; }
  int64_t MaxBits() const { return 0; }
  bool ByteEndsWithZeros() const { return true; }
  std::span<const uint8_t> Rest() const { return {}; }

 private:
  bool Write(bool bit, uint32_t probability) {
    encoder_->Write(bit, probability);
    return bit;
  }

  static bool Leads(const int8_t* tree, int next, uint32_t leaf) {
    if (next <= 0) return uint32_t(-next) == leaf;
    return Leads(tree, tree[next], leaf) || Leads(tree, tree[next + 1], leaf);
  }
  void WritePath(const int8_t* tree, int node, uint32_t leaf,
                 const uint8_t* probabilities) {
    const bool bit = !Leads(tree, tree[node], leaf);
    Write(bit, probabilities[node >> 1]);
    if (tree[node + bit] > 0)
      WritePath(tree, tree[node + bit], leaf, probabilities);
  }

  BoolEncoder* encoder_ = nullptr;
};

}  // namespace perdix::vp9

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_BOOL_DECODER_H_
