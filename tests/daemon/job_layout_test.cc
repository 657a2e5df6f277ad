// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/job_layout.h"

#include <gtest/gtest.h>
#include <linux/videodev2.h>

namespace perdix {
namespace {

perdix_job Job(uint32_t width, uint32_t height, uint32_t stride) {
  perdix_job job = {};
  job.pixelformat = V4L2_PIX_FMT_NV12;
  job.width = width;
  job.height = height;
  job.stride = stride;
  job.bitstream = 1;
  job.target = 2;
  return job;
}

Status Check(const perdix_job& job, size_t bytes) {
  PictureLayout layout;
  return TargetLayout(job, bytes, &layout);
}

TEST(JobLayoutTest, PutsChromaAfterTheLumaRows) {
  PictureLayout layout;
  ASSERT_TRUE(TargetLayout(Job(64, 48, 128), 128 * 72, &layout).ok());
  EXPECT_EQ(layout.luma_offset, 0u);
  EXPECT_EQ(layout.chroma_offset, 128u * 48);
  EXPECT_EQ(layout.stride_bytes, 128u);
  EXPECT_EQ(layout.chroma_stride_bytes, 128u);
  EXPECT_EQ(layout.max_width, 64u);
  EXPECT_EQ(layout.max_height, 48u);
}

TEST(JobLayoutTest, NamesTheFieldAndBothNumbers) {
  EXPECT_EQ(Check(Job(64, 48, 128), 128 * 72 - 1).message(),
            "target of 9215 bytes, want at least 9216");
  EXPECT_EQ(Check(Job(64, 48, 63), 1 << 20).message(),
            "stride 63, want at least 64");
  EXPECT_EQ(Check(Job(63, 48, 64), 1 << 20).message(),
            "width 63, want a multiple of 8 up to 65536");
}

TEST(JobLayoutTest, RefusesSizesThatWouldOverflow) {
  EXPECT_FALSE(Check(Job(0, 48, 64), 1 << 20).ok());
  EXPECT_FALSE(Check(Job(64, 0, 64), 1 << 20).ok());
  EXPECT_FALSE(Check(Job(64, 48, 0), 1 << 20).ok());
  EXPECT_FALSE(Check(Job(65536, 65536, 0xffffffff), 1 << 20).ok());
  EXPECT_FALSE(Check(Job(0xfffffff8, 0xfffffff8, 0xffffffff), 1 << 20).ok());
  EXPECT_FALSE(Check(Job(65536, 65536, 65536), 0x80000000).ok());
}

TEST(JobLayoutTest, P010HasTwoBytesASample) {
  perdix_job job = Job(64, 48, 128);
  job.pixelformat = V4L2_PIX_FMT_P010;
  PictureLayout layout;
  ASSERT_TRUE(TargetLayout(job, 128 * 72, &layout).ok());
  EXPECT_EQ(layout.chroma_offset, 128u * 48);
  job.stride = 120;
  EXPECT_EQ(Check(job, 1 << 20).message(), "stride 120, want at least 128");
}

TEST(JobLayoutTest, RefusesAFrameOfAnotherDepth) {
  perdix_job job = Job(64, 48, 128);
  PictureLayout layout;
  EXPECT_TRUE(SetShift(job, 8, &layout).ok());
  EXPECT_EQ(layout.shift, 0u);
  EXPECT_EQ(SetShift(job, 10, &layout).message(),
            "a frame of 10 bit for a target of NV12");
  job.pixelformat = V4L2_PIX_FMT_P010;
  EXPECT_EQ(SetShift(job, 8, &layout).message(),
            "a frame of 8 bit for a target of P010");
  EXPECT_EQ(SetShift(job, 17, &layout).message(),
            "a frame of 17 bit for a target of P010");
}

TEST(JobLayoutTest, P010HasSamplesOfAnyDepthInTheUpperBits) {
  perdix_job job = Job(64, 48, 128);
  job.pixelformat = V4L2_PIX_FMT_P010;
  PictureLayout layout;
  ASSERT_TRUE(SetShift(job, 10, &layout).ok());
  EXPECT_EQ(layout.shift, 6u);
  ASSERT_TRUE(SetShift(job, 12, &layout).ok());
  EXPECT_EQ(layout.shift, 4u);
}

TEST(JobLayoutTest, RefusesAnotherPixelformat) {
  perdix_job job = Job(64, 48, 64);
  job.pixelformat = V4L2_PIX_FMT_NV16;
  EXPECT_EQ(Check(job, 1 << 20).message(),
            "pixelformat NV16, want NV12 or P010");
  job.pixelformat = 0;
  EXPECT_EQ(Check(job, 1 << 20).message(),
            "pixelformat ????, want NV12 or P010");
}

TEST(JobLayoutTest, ChecksTheBitstreamAgainstItsBuffer) {
  perdix_job job = Job(64, 48, 64);
  job.bitstream_bytes = 100;
  EXPECT_TRUE(CheckBitstream(job, 100).ok());
  EXPECT_EQ(CheckBitstream(job, 99).message(),
            "bitstream_bytes 100, the buffer has 99");
  job.target = job.bitstream;
  EXPECT_FALSE(CheckBitstream(job, 100).ok());
}

}  // namespace
}  // namespace perdix
