// SPDX-License-Identifier: BSD-2-Clause
// Instead of the product's file of this name: the parser that chooses what it
// reads. Its files are compiled once more, with this folder before the
// repository's among those of headers, into a namespace of their own.
#ifndef PERDIX_CODEC_AV1_PARSER_TARGET_H_
#define PERDIX_CODEC_AV1_PARSER_TARGET_H_

#define PERDIX_PARSER maker
#define PERDIX_BEFORE_PARSER() static_assert(true)
#define PERDIX_AFTER_PARSER() static_assert(true)

#endif  // PERDIX_CODEC_AV1_PARSER_TARGET_H_
