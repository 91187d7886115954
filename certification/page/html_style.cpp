/// \file
/// The style sheet.
#include "certification/page/html_style.hpp"

namespace warpbound::certification {

// Text has a contrast of at least 4.5:1 and graphics of at least 3:1 with the page, in both schemes
// (html_style_test.cpp computes them from this text).
const std::string_view html_style = R"css(
:root { color-scheme: light dark; --text: #1c2126; --quiet: #57606a; --page: #ffffff; --panel: #f4f6f8; --line: #c9d1d9;
  --bar: #5f7fb0; --bound: #a3330b; --estimate: #5b4a9e; --deadline: #0b6e4f; --good: #1a6b35; --bad: #b3261e; --heat: 214, 94, 20;
  --part0: #2f5d8a; --part1: #8a4b2f; --part2: #3f7a4a; --part3: #7a3f72; --part4: #6b6420; --part5: #2c6e74; --part6: #8a2f45; --part7: #555f6b; --inside: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ec; --quiet: #a5adb6; --page: #14181c; --panel: #1e242a;
  --line: #3a434d; --bar: #7f9fd0; --bound: #ff9d73; --estimate: #b9a8ff; --deadline: #5fd3a8; --good: #6fd08c; --bad: #ff8a80; --heat: 255, 140, 60;
  --part0: #8fbbe6; --part1: #e6a98d; --part2: #93cf9d; --part3: #d79fd0; --part4: #cfc676; --part5: #86cbd2; --part6: #ea93a8; --part7: #b3bcc7; --inside: #101418; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); margin: 0 auto; padding: 1rem; max-width: 64rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2rem 0 0.5rem; border-bottom: 1px solid var(--line); padding-bottom: 0.25rem; overflow-wrap: anywhere; }
h3 { font-size: 1.05rem; margin: 1.5rem 0 0.25rem; }
a { color: inherit; } .skip { position: absolute; left: -100rem; } .skip:focus { position: static; }
p, li { max-width: 46rem; overflow-wrap: anywhere; } .quiet { color: var(--quiet); }
nav { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: 0.5rem 1rem; margin: 1rem 0; }
nav ol { columns: 16rem; column-gap: 2.5rem; margin: 0.25rem 0; padding-left: 1.5rem; }
.summary { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 0.75rem; margin: 1rem 0; }
.card { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: 0.75rem 1rem; overflow-wrap: anywhere; }
.card b { display: block; font-size: 1.5rem; line-height: 1.25; font-variant-numeric: tabular-nums; }
.holds b { color: var(--good); } .refuted b { color: var(--bad); }
figure { margin: 1rem 0; } figcaption { color: var(--quiet); font-size: 0.92rem; } p.refuted { color: var(--bad); } dt { font-weight: 600; }
dd { overflow-wrap: anywhere; }
.box { overflow-x: auto; margin: 0.75rem 0; max-width: 100%; } .narrow { display: none; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 0.92rem; }
caption { text-align: left; color: var(--quiet); padding: 0.25rem 0; }
th, td { text-align: left; padding: 0.3rem 0.45rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; } td.n, th.n { text-align: right; } td.n { white-space: nowrap; } td { overflow-wrap: break-word; }
th button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; text-align: inherit; text-decoration: underline dotted; }
th[aria-sort="ascending"] button::after { content: " \25B2"; } th[aria-sort="descending"] button::after { content: " \25BC"; }
code, pre, .code td { font-family: ui-monospace, monospace; font-size: 0.85rem; } .digest { overflow-wrap: anywhere; font-size: 0.78rem; }
.code td { padding: 0.05rem 0.6rem; border-bottom: 0; white-space: pre; } .code tr.start td { border-top: 1px solid var(--line); }
.code tr.idle td { color: var(--quiet); }
summary { cursor: pointer; padding: 0.25rem 0; } svg { width: 100%; height: auto; display: block; }
svg text { font: 13px system-ui, sans-serif; fill: var(--text); } svg .tick { fill: var(--quiet); } svg .axis { stroke: var(--quiet); }
svg .bar { fill: var(--bar); } svg .mean { stroke: var(--text); stroke-width: 2; } svg .bound { stroke: var(--bound); stroke-width: 2; }
svg .bound-label, svg .estimate-label, svg .deadline-label { stroke: var(--page); stroke-width: 4px; stroke-linejoin: round; paint-order: stroke; }
svg .bound-label { fill: var(--bound); font-weight: 600; } svg .deadline-label { fill: var(--deadline); font-weight: 600; }
svg .deadline { stroke: var(--deadline); stroke-width: 3; stroke-dasharray: 2 3; }
svg .estimate { stroke: var(--estimate); stroke-width: 1.5; stroke-dasharray: 5 4; } svg .estimate-label { fill: var(--estimate); }
svg .lane { fill: var(--panel); stroke: var(--line); } svg .stage { fill: var(--page); stroke: var(--text); } svg .on-chain { stroke: var(--bound); stroke-width: 2.5; }
svg .edge { fill: none; stroke: var(--quiet); stroke-width: 1.5; } svg .edge-head { fill: var(--quiet); } svg .other { fill: none; stroke: var(--quiet); stroke-dasharray: 4 3; }
svg .inside { fill: var(--inside); font-weight: 600; }
.part0 { fill: var(--part0); } .part1 { fill: var(--part1); } .part2 { fill: var(--part2); } .part3 { fill: var(--part3); }
.part4 { fill: var(--part4); } .part5 { fill: var(--part5); } .part6 { fill: var(--part6); } .part7 { fill: var(--part7); }
.key { display: inline-block; width: 0.9em; height: 0.9em; vertical-align: -0.1em; margin-right: 0.4em; } .key rect { width: 100%; height: 100%; }
.form label { display: block; margin: 0.5rem 0; } .form input[type="text"] { font: inherit; width: 100%; max-width: 30rem; display: block; }
.form textarea { font: inherit; width: 100%; max-width: 46rem; min-height: 4rem; display: block; }
input, textarea { color: var(--text); background: var(--page); border: 1px solid var(--quiet); border-radius: 3px; padding: 0.2rem 0.4rem; }
@media (max-width: 40rem) { .wide { display: none; } .narrow { display: block; } body { padding: 0.6rem; font-size: 15px; } h1 { font-size: 1.3rem; }
  table { width: max-content; min-width: 100%; } td { max-width: 13.5rem; overflow-wrap: anywhere; } caption { max-width: 90vw; } }
@media print { :root { --text: #000; --page: #fff; --panel: #fff; --quiet: #333; --line: #999; --bound: #7a2000; --estimate: #3a2c80; --deadline: #0b5e44;
  --bar: #5f7fb0; --part0: #2f5d8a; --part1: #8a4b2f; --part2: #3f7a4a; --part3: #7a3f72; --part4: #6b6420; --part5: #2c6e74; --part6: #8a2f45; --part7: #555f6b; --inside: #fff; }
  body { max-width: none; font-size: 10pt; } .box { overflow: visible; } details > * { display: block; } details::details-content { content-visibility: visible; }
  .wide { display: block; } .narrow { display: none; } h2, tr, svg { break-inside: avoid; } .skip { display: none; } }
)css";

} // namespace warpbound::certification
