// SPDX-License-Identifier: BSD-2-Clause
// For which processors the parser is compiled. On x86-64 its files are compiled
// twice (codec/CMakeLists.txt): for all of them, and as PERDIX_PARSER_BMI for
// those that count zeros and shift by any register in one instruction. What
// they define lies in the namespace of their target, which is inline:
//
//   PERDIX_BEFORE_PARSER();
//   namespace perdix::av1 {
//   inline namespace PERDIX_PARSER {
//   ...
//   }  // namespace PERDIX_PARSER
//   }  // namespace perdix::av1
//   PERDIX_AFTER_PARSER();
//
// Headers are included before that, and the compiler gets no option of its own:
// of an inline function that several files define, the linker keeps one, which
// any processor must be able to run.
#ifndef PERDIX_CODEC_AV1_PARSER_TARGET_H_
#define PERDIX_CODEC_AV1_PARSER_TARGET_H_

#include <hwy/base.h>

#ifdef PERDIX_PARSER_BMI
#define PERDIX_PARSER bmi
#define PERDIX_BEFORE_PARSER() \
  HWY_PUSH_ATTRIBUTES("bmi,bmi2,lzcnt") static_assert(true)
#define PERDIX_AFTER_PARSER() HWY_POP_ATTRIBUTES static_assert(true)
#else
#define PERDIX_PARSER baseline
#define PERDIX_BEFORE_PARSER() static_assert(true)
#define PERDIX_AFTER_PARSER() static_assert(true)
#endif

#endif  // PERDIX_CODEC_AV1_PARSER_TARGET_H_
