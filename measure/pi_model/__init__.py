# SPDX-License-Identifier: BSD-2-Clause
"""A model of the time that a Raspberry Pi 5 takes for a stream.

No Pi was at hand. What others measured of one is in points.json, and `pi-model
check` holds the model to it; params.json has each parameter with its range and
its source. The parts, each of which the next one uses:

  steps, simulator    GPU: subgroups on 12 QPUs that share three memory units
  qpu_code, shapes,   what a subgroup executes of a program of the Pi's compiler
  walks, walks_av1
  programs            that compiler (measure/v3d-setup), and what it made
  work, instructions  what a clip needs of GPU and CPU
  prediction, tables  times of frames
  parameters, points  params.json, points.json

On the GPU one workgroup is taken to run at a time, on as many of the 12 QPUs as
it has subgroups of 16 lanes. **That is inferred, not seen**: Mesa's driver leaves
the register for more (MAX_SG_ID) 0, and the published times fit. Not in the
model: misses of the caches (a load's latency is a mean), memory that programs
spill to (perdix's have none), the CPU's use of memory beside the GPU, and what
staging costs (bandwidth_gbs and readback_gbs are kept for whoever asks; no
prediction uses them).

**WORK.json** says what the GPU is given for a clip's frames, in decoding order
(perdix-gpu-work writes it):

  {"clip": "bbb_1080p30_p0_4tiles_4M", "codec": "vp9",
   "frames": [
    {"type": "inter", "width": 1920, "height": 1080, "bit_depth": 8,
     "stages": [
      {"kernel": "vp9_inter_pred", "scratch_bytes": 0, "staged_bytes": 4096,
       "work": ["barrier",
                {"shader": "vp9/inter_pred_rte", "constants": [0, 2, 0], "lanes": 64,
                 "groups": [52, 1], "records": 1650}]}],
     "loop_filter": {"luma_horizontal": {"rounds": 8160, "edge": 2100, "edge_8": 1500,
                                         "edge_16": 700, "inner": 90}},
     "intra": {"blocks": [{"plane": "luma", "size": 8, "count": 60}],
               "modes": {"dc": 30, "v": 9, "h": 10, "tm": 5, "d45": 6},
               "residual": 0.6}}]}

* type: key (all blocks are intra) or inter.
* kernel: a recipe's key (kernels/kernels.def). A frame has a stage once.
* shader: the SPIR-V of a build without .spv, the one that a Pi would use;
  constants: its specialisation constants from number 1 on, number 0 being the
  size of a subgroup, 16; lanes: of a workgroup; groups: x and y, of the loop
  filter y being luma and chroma; records: work items, for the count only.
* loop_filter, for luma and chroma, horizontal and vertical edges: a round is a
  subgroup's step over one cell of 8 pixels, on all of its lines. Of these, in how
  many a line has an edge at the cell's border (edge), one that is at least 8 or
  16 wide, and one in the cell's middle (inner).
* intra: blocks that intra prediction on the GPU has in that frame, by plane and
  size in pixels; modes (dc, v, h, tm, d45, d63, d135, d117, d153, d207) and the
  share with a residual may be missing; params.json assumes them then.

A frame of AV1 has neither loop_filter nor intra. What decides loops and branches
there is said by the dispatches, of which each has "subgroups": how many of them,
by what they do; of programs that do the same in all, it is missing. "none": they
only fill up the last workgroup.

  {"shader": "av1/inter_pred", ..., "subgroups": {"16": 240, "8": 11, "none": 5}}

* inter_pred, inter_overlap, inter_blend: the most lines of a lane's unit.
* wiener, self_guided, restoration_copy: lines of a cell of 64 samples, and
  whether it is at the picture's left or right border: "64", "56 border".
* residual_dc: the most rows of a lane's part, in fours.
* intra_pred: a block, "16x8 smooth blended residual": its size; of plain modes
  dc, v, h, smooth or paeth, and blended where it is over an inter prediction; of
  directions, whether an edge is upsampled; residual, where it has one.

Counts that a prediction prints are the sums of this file, nothing else.

**Instructions of the CPU** (--cpu): millions a frame that an arm64 perdix-decode
executes with one thread, by type of frame and kernel; or a file that
`compare-arm64 --profile --record` kept, for inter frames:

  {"source": "measure/compare-arm64 --profile CLIP, 2026-11-28",
   "inter": {"parsing": 13.8, "kernels": {"vp9_inter_pred": 15.4}}}

**REPORT.json** is what a real Pi measured. `pi-model correct` puts it in the
place of values, ranges and sources of params.json:

  {"date": "2026-12-24", "machine": {"name": "pi-5"},
   "gpu": {"dispatch_us": [18.1, 18.4, 19.0], "clock_ghz": {"value": 0.96, "low": 0.95,
                                                            "high": 0.96}},
   "cpu": {"ipc_simd": [1.5, 1.7]},
   "kernels": {"vp9_inter_pred": [1.08, 1.11]}}

A figure is a value with its range, or samples, of which the median is the value
and the ends are the range. Names are those of params.json. A kernel's figure is
its measured time over the model's; it takes the place of the model's own error.
What else a report holds is passed over. What is to be measured for what:

  empty submits; 1 to 1000 empty dispatches in one  submit_us, dispatch_us (slope)
  1000 workgroups of arithmetic, 16 to 256 lanes:   workgroups_in_flight (1 if time
                                                    per lane falls up to 192 lanes),
                                                    workgroup_clocks, subgroup_clocks
  arithmetic, 1 and 16 subgroups                    clock_ghz, instruction_clocks
  a chain of loads, in 4 KB, 128 KB, 64 MB          load_latency_clocks
  independent loads and stores of 1, 2, 4 words     lookup_clocks, word_clocks
  stores, each waited for                           store_latency_clocks
  copies by 1 and 16 subgroups                      bandwidth_gbs
  CPU reads of the GPU's memory                     readback_gbs
  each kernel on a clip                             kernels
  perf stat of perdix-decode, 1 and 4 threads       cpu: ipc_simd, ipc_parse, speedup_4

The other parameters stay as fitted. QPU code (`pi-model programs --into DIR`,
`predict --programs DIR`): the assembly of measure/v3d/spvstat -q with a line
"# threads: 4".
"""
