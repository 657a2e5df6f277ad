// SPDX-License-Identifier: BSD-2-Clause
// The few clips that run-recipes --subset decodes on a slow GPU need every
// kernel in every form.
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <set>
#include <span>
#include <sstream>
#include <string>

#include "client/bitstream/vp9/codec.h"
#include "client/container/container.h"
#include "client/inprocess/engine_backend.h"
#include "client/stream/stream.h"
#include "engine/engine.h"
#include "kernels/vp9/lists.h"
#include "tests/engine/fake_gpu.h"

namespace perdix::vp9 {
namespace {

using Forms = std::set<std::string>;

std::string Text(const char* what, uint32_t a, uint32_t b) {
  return std::string(what) + " " + std::to_string(a) + " " + std::to_string(b);
}

void AddTransforms(const Params& params, const char* what,
                   std::span<const TransformBlock> blocks, Forms* forms) {
  for (const TransformBlock& block : blocks) {
    const uint32_t size = TransformSize(block.shape);
    if (params.lossless) {
      forms->insert(std::string(what) + " lossless");
      continue;
    }
    forms->insert(Text(what, size, TransformType(block.shape)));
    if (block.eob == 1) forms->insert(Text(what, size, 0) + " dc");
    if (TransformStoredLog2(block.shape) == size) {
      forms->insert(Text(what, size, 0) + " whole");
    }
  }
}

void AddIntra(std::span<const IntraBlock> blocks, Forms* forms) {
  for (const IntraBlock& block : blocks) {
    const char* const what =
        IntraPlane(block.shape) == kLuma ? "intra luma" : "intra chroma";
    forms->insert(Text(what, IntraSize(block.shape), IntraMode(block.shape)));
  }
}

void AddInter(const Params& params, std::span<const InterBlock> blocks,
              Forms* forms) {
  for (const InterBlock& block : blocks) {
    forms->insert("inter filter " + std::to_string(InterFilter(block.shape)));
    const uint32_t fractions =
        (MvRow(block.mv0) % 8 != 0) * 2 + (MvCol(block.mv0) % 8 != 0);
    forms->insert("inter fractions " + std::to_string(fractions));
    if (InterRef1(block.shape) != PERDIX_REF_NONE) {
      forms->insert("inter compound");
    }
    if (InterSub8x8(block.shape) != 0) forms->insert("inter sub8x8");
    const ReferenceScale& reference = params.references[InterRef0(block.shape)];
    if (reference.x_step != 16) forms->insert("inter scaled");
  }
}

void AddEdges(const gpu::FrameInput& input, Forms* forms) {
  for (const uint32_t cell : input.tables.Of(kEdges)) {
    for (const uint32_t shift :
         {PERDIX_EDGE_LUMA_SHIFT, PERDIX_EDGE_CHROMA_SHIFT}) {
      forms->insert(Text("left edge", shift, EdgeLeft(cell, shift)));
      forms->insert(Text("above edge", shift, EdgeAbove(cell, shift)));
      forms->insert(Text("inner left", shift, EdgeInnerLeft(cell, shift)));
      forms->insert(Text("inner above", shift, EdgeInnerAbove(cell, shift)));
    }
  }
}

void AddFrame(const gpu::FrameInput& input, Forms* forms) {
  const FrameParams& params = *input.params;
  const Params& codec = input.codec->As<Params>();
  if (params.width % 8 != 0) forms->insert("odd width");
  if (params.height % 8 != 0) forms->insert("odd height");
  if (input.tiles.size() > 1) forms->insert("tiles");
  for (const WorkLists& tile : input.tiles) {
    AddTransforms(codec, "inter transform", tile.Of(kInterTransforms), forms);
    AddTransforms(codec, "intra transform", tile.Of(kIntraTransforms), forms);
    AddIntra(tile.Of(kIntraBlocks), forms);
    AddInter(codec, tile.Of(kInterBlocks), forms);
  }
  AddEdges(input, forms);
}

void Decode(const std::string& clip) {
  EngineOptions options;
  options.threads = 1;
  EXPECT_TRUE(Recipe::Parse("vulkan", &options.recipe).ok());
  Engine engine(options);
  client::EngineBackend backend(engine, client::vp9::kCodec, false);
  client::Stream stream(backend,
                        {.shown = [](const client::Image&) { return true; },
                         .failed =
                             [](const client::Position&, const Status& status) {
                               ADD_FAILURE() << status.message();
                               return false;
                             }});
  std::unique_ptr<client::Container> container;
  ASSERT_TRUE(client::Container::Open(PERDIX_CLIPS "/" + clip, &container).ok())
      << clip;
  client::Packet packet;
  bool end = false;
  while (container->Next(&packet, &end).ok() && !end) {
    stream.Decode(packet.data, packet.owner);
  }
  stream.Flush();
}

Forms FormsOfSubset(const std::string& depth) {
  Forms forms;
  FakeGpu().watch = [&](const gpu::FrameInput& input) {
    AddFrame(input, &forms);
  };
  std::ifstream list(PERDIX_RECIPE_SUBSET);
  for (std::string line; std::getline(list, line);) {
    std::string codec, clip_depth, clip;
    std::istringstream(line) >> codec >> clip_depth >> clip;
    if (codec == "vp9" && clip_depth == depth) Decode(clip);
  }
  FakeGpu().watch = nullptr;
  return forms;
}

Forms AllForms() {
  Forms forms = {"odd width",    "odd height",     "tiles",
                 "inter scaled", "inter compound", "inter sub8x8"};
  for (const char* what : {"inter transform", "intra transform"}) {
    forms.insert(std::string(what) + " lossless");
    for (uint32_t size = 0; size < 4; ++size) {
      forms.insert(Text(what, size, 0) + " dc");
      forms.insert(Text(what, size, 0) + " whole");
      // ADST is luma's, in intra blocks, up to 16x16 (VP9 8.7.2).
      const bool adst = size < 3 && what == std::string("intra transform");
      for (uint32_t type = 0; type < (adst ? 4 : 1); ++type) {
        forms.insert(Text(what, size, type));
      }
    }
  }
  for (uint32_t size = 0; size < 4; ++size) {
    for (uint32_t mode = 0; mode < 10; ++mode) {
      forms.insert(Text("intra luma", size, mode));
      forms.insert(Text("intra chroma", size, mode));
    }
  }
  for (uint32_t i = 0; i < 4; ++i) {
    if (i < 3) forms.insert("inter filter " + std::to_string(i));
    forms.insert("inter fractions " + std::to_string(i));
    for (const uint32_t shift :
         {PERDIX_EDGE_LUMA_SHIFT, PERDIX_EDGE_CHROMA_SHIFT}) {
      forms.insert(Text("left edge", shift, i));
      forms.insert(Text("above edge", shift, i));
      forms.insert(Text("inner left", shift, i & 1));
      forms.insert(Text("inner above", shift, i & 1));
    }
  }
  return forms;
}

class RecipeSubsetTest : public testing::TestWithParam<const char*> {};

TEST_P(RecipeSubsetTest, NeedsEveryKernelInEveryForm) {
  const Forms found = FormsOfSubset(GetParam());
  for (const std::string& form : AllForms()) {
    EXPECT_TRUE(found.contains(form)) << form;
  }
}

INSTANTIATE_TEST_SUITE_P(BitDepths, RecipeSubsetTest,
                         testing::Values("8", "10"), [](const auto& info) {
                           return std::string(info.param);
                         });

}  // namespace
}  // namespace perdix::vp9
