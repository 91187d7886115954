/// \file
/// The style sheet.
#include "certification/page/html_style.hpp"

namespace warpbound::certification {

const std::string_view html_style = R"css(
:root { color-scheme: light dark; --text: #1c2126; --quiet: #57606a; --page: #ffffff; --panel: #f4f6f8; --line: #c9d1d9;
  --bar: #8aa4c8; --bound: #a3330b; --estimate: #5b4a9e; --good: #1a6b35; --bad: #b3261e; --heat: 214, 94, 20; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ec; --quiet: #a5adb6; --page: #14181c; --panel: #1e242a;
  --line: #3a434d; --bar: #4f6f9c; --bound: #ff9d73; --estimate: #b9a8ff; --good: #6fd08c; --bad: #ff8a80; --heat: 255, 140, 60; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); margin: 0 auto; padding: 1rem; max-width: 64rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2rem 0 0.5rem; border-bottom: 1px solid var(--line); padding-bottom: 0.25rem; }
a { color: inherit; } .skip { position: absolute; left: -100rem; } .skip:focus { position: static; }
p, li { max-width: 46rem; } .quiet { color: var(--quiet); }
.summary { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 0.75rem; margin: 1rem 0; }
.card { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: 0.75rem 1rem; }
.card b { display: block; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
.holds b { color: var(--good); } .refuted b { color: var(--bad); }
figure { margin: 1rem 0; } figcaption { color: var(--quiet); font-size: 0.92rem; } p.refuted { color: var(--bad); } dt { font-weight: 600; }
.box { overflow-x: auto; margin: 0.75rem 0; } .figure { min-width: 52rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 0.92rem; }
caption { text-align: left; color: var(--quiet); padding: 0.25rem 0; }
th, td { text-align: left; padding: 0.3rem 0.45rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; } td.n, th.n { text-align: right; } td.n { white-space: nowrap; }
code, pre, .code td { font-family: ui-monospace, monospace; font-size: 0.85rem; } .digest { overflow-wrap: anywhere; font-size: 0.78rem; }
.code td { padding: 0.05rem 0.6rem; border-bottom: 0; white-space: pre; } .code tr.start td { border-top: 1px solid var(--line); }
.code tr.idle td { color: var(--quiet); }
summary { cursor: pointer; padding: 0.25rem 0; } svg { width: 100%; height: auto; display: block; }
svg text { font: 13px system-ui, sans-serif; fill: var(--text); } svg .tick { fill: var(--quiet); } svg .axis { stroke: var(--quiet); }
svg .bar { fill: var(--bar); } svg .mean { stroke: var(--text); stroke-width: 2; } svg .bound { stroke: var(--bound); stroke-width: 2; } svg .bound-label, svg .estimate-label { stroke: var(--page); stroke-width: 4px; stroke-linejoin: round; paint-order: stroke; }
svg .bound-label { fill: var(--bound); font-weight: 600; }
svg .estimate { stroke: var(--estimate); stroke-width: 1.5; stroke-dasharray: 5 4; } svg .estimate-label { fill: var(--estimate); }
svg .inside { fill: #ffffff; font-weight: 600; }
.part0 { fill: #2f5d8a; } .part1 { fill: #8a4b2f; } .part2 { fill: #3f7a4a; } .part3 { fill: #7a3f72; }
.part4 { fill: #6b6420; } .part5 { fill: #2c6e74; } .part6 { fill: #8a2f45; } .part7 { fill: #555f6b; }
.key { display: inline-block; width: 0.9em; height: 0.9em; vertical-align: -0.1em; margin-right: 0.4em; } .key rect { width: 100%; height: 100%; }
@media (max-width: 32rem) { body { padding: 0.6rem; font-size: 15px; } h1 { font-size: 1.3rem; }
  table { width: max-content; min-width: 100%; } td { max-width: 18rem; } caption { max-width: 90vw; } }
@media print { :root { --text: #000; --page: #fff; --panel: #fff; --quiet: #333; --line: #999; --bound: #7a2000; --estimate: #3a2c80; }
  body { max-width: none; font-size: 10pt; } .box { overflow: visible; } .figure { min-width: 0; } details > * { display: block; } details::details-content { content-visibility: visible; }
  h2, tr, svg { break-inside: avoid; } .skip { display: none; } }
)css";

} // namespace warpbound::certification
