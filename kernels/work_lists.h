// SPDX-License-Identifier: BSD-2-Clause
// What parsing hands to the kernels, by index: lists of 16-byte records for
// each tile column, tables for the whole frame, and the codec's parameters.
// Only a codec's own files know the types: kernels/<codec>/lists.h names them.
#ifndef PERDIX_KERNELS_WORK_LISTS_H_
#define PERDIX_KERNELS_WORK_LISTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace perdix {

inline constexpr uint32_t kMaxLists = 4;
inline constexpr uint32_t kMaxTables = 8;
inline constexpr size_t kRecordBytes = 16;
inline constexpr size_t kMaxCodecParams = 2048;  // bytes

// Storage of one record of any list.
struct alignas(kRecordBytes) RecordBytes {
  std::byte bytes[kRecordBytes];
};

// The list at <index> holds records of this type.
template <typename Record>
struct List {
  static_assert(sizeof(Record) == kRecordBytes);
  uint32_t index;
};

// The table at <index> holds elements of this type.
template <typename Element>
struct Table {
  uint32_t index;
};

// A half-open range of work items or superblocks.
struct Range {
  uint32_t begin = 0;
  uint32_t end = 0;
};

// Where the records of one superblock end in each list of its tile column. They
// begin where those of the superblock to the left of it end.
using RecordEnds = std::array<uint32_t, kMaxLists>;

// The lists of one tile column; written by entropy decoding, complete for the
// range that a kernel is called with.
struct WorkLists {
  struct Records {
    const void* data = nullptr;
    size_t size = 0;  // records
  };

  std::array<Records, kMaxLists> lists;
  std::span<const int16_t> coefficients;   // 16-byte aligned
  Range columns;                           // superblocks of the tile
  std::span<const RecordEnds> row_begins;  // where a row's records begin
  std::span<const RecordEnds> ends;        // [row][column of the tile]

  template <typename Record>
  std::span<const Record> Of(List<Record> list) const {
    const Records& records = lists[list.index];
    return {static_cast<const Record*>(records.data), records.size};
  }
  template <typename Record>
  void Set(List<Record> list,
           std::span<const std::type_identity_t<Record>> records) {
    lists[list.index] = {records.data(), records.size()};
  }
};

// The tables of a whole frame, by index. Parsing writes them, or one kernel for
// another.
struct FrameTables {
  std::array<std::span<std::byte>, kMaxTables> bytes;

  template <typename Element>
  std::span<Element> Of(Table<Element> table) const {
    const std::span<std::byte> from = bytes[table.index];
    return {reinterpret_cast<Element*>(from.data()),
            from.size() / sizeof(Element)};
  }
  template <typename Element>
  void Set(Table<Element> table,
           std::span<std::type_identity_t<Element>> elements) {
    bytes[table.index] = std::as_writable_bytes(elements);
  }
};

// Memory of a frame's tables, reused from frame to frame.
class TableMemory {
 public:
  // Room for <count> elements; what was there stays. Throws std::bad_alloc.
  template <typename Element>
  std::span<Element> Resize(Table<Element> table, size_t count) {
    tables_[table.index].resize(count * sizeof(Element));
    return View().Of(table);
  }
  FrameTables View() {
    FrameTables view;
    for (size_t i = 0; i < kMaxTables; ++i) view.bytes[i] = tables_[i];
    return view;
  }

 private:
  std::array<std::vector<std::byte>, kMaxTables> tables_;
};

// kernels/shared/<codec>/params.h of a frame, whatever the codec.
class CodecParams {
 public:
  template <typename Params>
  Params& As() {
    static_assert(sizeof(Params) <= kMaxCodecParams &&
                  std::is_trivially_copyable_v<Params>);
    return *reinterpret_cast<Params*>(bytes_.data());
  }
  template <typename Params>
  const Params& As() const {
    return const_cast<CodecParams*>(this)->As<Params>();
  }

 private:
  alignas(16) std::array<std::byte, kMaxCodecParams> bytes_ = {};
};

}  // namespace perdix

#endif  // PERDIX_KERNELS_WORK_LISTS_H_
