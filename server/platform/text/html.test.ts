import { expect, test } from "vitest";
import { html } from "./html";

test("every value is text, in elements and in attributes, unless it is HTML itself", () => {
  const hostile = `<script>"&'`;
  const { source } = html`<p title="${hostile}">${hostile}${html`<b>${1}</b>`}${["<", html`<br>`]}${null}</p>`;
  expect(source).toBe('<p title="&lt;script&gt;&quot;&amp;&#39;">&lt;script&gt;&quot;&amp;&#39;<b>1</b>&lt;<br></p>');
});
