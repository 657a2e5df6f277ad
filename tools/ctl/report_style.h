// SPDX-License-Identifier: BSD-2-Clause
// How the report looks, in the light and in the dark, on paper too.
#ifndef PERDIX_TOOLS_CTL_REPORT_STYLE_H_
#define PERDIX_TOOLS_CTL_REPORT_STYLE_H_

namespace perdix::ctl {

inline constexpr const char* kReportStyle = R"(
:root { --back: #f5f6f8; --card: #fff; --text: #1d2430; --dim: #667085;
  --line: #e3e6ec; --accent: #2f6fde; --gpu: #d97a2b; --ok: #1a8f4c;
  --warning: #b26a00; --failed: #c9302c; --skipped: #98a1b0; }
@media (prefers-color-scheme: dark) { :root { --back: #12161d; --card: #1b212b;
  --text: #e4e8ef; --dim: #98a3b5; --line: #2c3442; --accent: #6ba0ff;
  --gpu: #f0a35e; --ok: #4fc77f; --warning: #f0b44c; --failed: #ff7b72; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; }
main { max-width: 1000px; margin: 0 auto; padding: 32px 20px 48px; }
header { display: flex; align-items: baseline; gap: 14px; flex-wrap: wrap; }
h1 { margin: 0; font-size: 30px; letter-spacing: -.02em; }
h2 { margin: 0 0 14px; font-size: 17px; }
h3 { margin: 18px 0 6px; font-size: 14px; }
section { background: var(--card); border: 1px solid var(--line);
  border-radius: 12px; padding: 20px 24px; margin-top: 18px; }
.dim { color: var(--dim); }
.tiles { display: grid; gap: 12px; margin-top: 20px;
  grid-template-columns: repeat(auto-fit, minmax(140px, 1fr)); }
.tile { background: var(--card); border: 1px solid var(--line);
  border-radius: 12px; padding: 14px 18px; }
.tile b { display: block; font-size: 21px; letter-spacing: -.02em;
  font-variant-numeric: tabular-nums; }
.tile span { color: var(--dim); font-size: 13px; }
.pair { display: grid; gap: 0 18px;
  grid-template-columns: repeat(auto-fit, minmax(380px, 1fr)); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: left; color: var(--dim); font-weight: 500; font-size: 12px; }
th, td { padding: 6px 10px 6px 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
tr:last-child td { border-bottom: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums;
  white-space: nowrap; }
.facts td:first-child { color: var(--dim); width: 110px; }
.verdict { display: inline-block; min-width: 66px; padding: 0 9px;
  border-radius: 99px; font-size: 12px; line-height: 20px; text-align: center;
  color: #fff; }
.ok { background: var(--ok); } .warning { background: var(--warning); }
.failed { background: var(--failed); } .skipped { background: var(--skipped); }
code, pre { font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
pre { margin: 4px 0 0; padding: 6px 10px; border-radius: 6px;
  background: var(--back); overflow-x: auto; white-space: pre-wrap; }
.meter { height: 9px; border-radius: 5px; background: var(--line);
  min-width: 160px; margin-top: 7px; overflow: hidden; }
.meter i { display: block; height: 100%; background: var(--accent); }
.meter .vulkan { background: var(--gpu); }
.histogram { width: 100%; height: auto; display: block; }
.histogram .bar { fill: var(--accent); }
.histogram .grid { stroke: var(--line); }
.histogram .axis { stroke: var(--dim); }
.histogram text { fill: var(--dim); font-size: 11px; text-anchor: middle; }
img { display: block; max-width: 100%; margin-top: 14px; padding: 8px;
  background: #fff; border-radius: 8px; }
@media print { section, .tile { break-inside: avoid; } }
)";

}  // namespace perdix::ctl

#endif  // PERDIX_TOOLS_CTL_REPORT_STYLE_H_
