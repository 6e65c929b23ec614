import { Html } from "@/server/platform/text/html";

/** The style of shared pages, in the colours of the workbench. It loads nothing: not even a font. */
export const STYLE = new Html(`
:root { color-scheme: light dark; --text: light-dark(#1f2328, #e6e8eb); --quiet: light-dark(#57606a, #a4abb3);
  --line: light-dark(#d9dde2, #363b42); --raised: light-dark(#f5f6f8, #1b1e23); --accent: light-dark(#3b46c4, #a5b0ff);
  --bad: light-dark(#b42318, #ff9a8f); }
* { box-sizing: border-box; }
body { margin: 0; background: light-dark(#fff, #121417); color: var(--text);
  font: 15px/1.55 "Inter Variable", system-ui, sans-serif; overflow-wrap: anywhere; }
header { padding: 12px 20px; border-bottom: 1px solid var(--line); font-weight: 650; }
header span { color: var(--quiet); font-weight: 400; }
main { max-width: 860px; margin: 0 auto; padding: 24px 20px 80px; }
h1 { font-size: 24px; line-height: 1.3; margin: 0 0 8px; }
h2 { font-size: 18px; margin: 32px 0 12px; }
h3 { font-size: 13px; margin: 0 0 6px; }
h4 { font-size: 13px; font-weight: 500; margin: 10px 0 4px; }
h3 small, h4, .note, .hidden, dt { color: var(--quiet); }
h3 small { font-weight: 400; }
b { color: var(--bad); }
p { margin: 0 0 8px; }
.note { font-size: 13px; }
.hidden { font-style: italic; }
.said { white-space: pre-wrap; }
dl { display: flex; flex-wrap: wrap; gap: 8px 28px; margin: 20px 0; padding: 12px 16px; border: 1px solid var(--line); border-radius: 6px; }
dt { font-size: 12px; }
dd { margin: 0; font-variant-numeric: tabular-nums; }
ol { list-style: none; margin: 0; padding: 0; }
li { padding: 12px 16px; margin: 0 0 8px; border: 1px solid var(--line); border-radius: 6px; }
li.user { background: var(--raised); }
li.assistant h3 { color: var(--accent); }
li > :last-child { margin-bottom: 0; }
blockquote { margin: 8px 0 0; padding: 0 0 0 12px; border-left: 3px solid var(--line); }
code, pre { font: 13px/1.5 "JetBrains Mono Variable", ui-monospace, monospace; }
pre { margin: 0 0 8px; padding: 8px 12px; background: var(--raised); border: 1px solid var(--line); border-radius: 4px;
  white-space: pre-wrap; max-height: 480px; overflow: auto; }
h1 code { font-size: 0.85em; }
summary { cursor: pointer; color: var(--quiet); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 600px) { main { padding: 16px 12px 48px; } header { padding: 12px; } }
`);
