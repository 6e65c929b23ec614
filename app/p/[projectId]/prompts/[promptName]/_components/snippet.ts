/** A command that reads a prompt. */
export const curlSnippet = (url: string, label: string) =>
  `curl -sS -H "Authorization: Bearer $WHETSTONE_KEY" \\
  "${url}?label=${label}"
`;

/** A program that reads a prompt, caches it, fills it in, and names it on its span. */
export const fetchSnippet = (url: string, label: string) =>
  `import { trace } from "@opentelemetry/api";

const url = "${url}?label=${label}";
const MINUTE = 60_000;
let cached;

/** Returns the prompt, read at most once a minute; while that fails, the one that was read before. */
async function readPrompt() {
  if (cached && Date.now() - cached.at < MINUTE) return cached.prompt;
  const headers = { authorization: \`Bearer \${process.env.WHETSTONE_KEY}\` };
  if (cached) headers["if-none-match"] = cached.etag;
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
  if (response?.ok) {
    const { prompt } = await response.json();
    cached = { prompt, etag: response.headers.get("etag"), at: Date.now() };
  } else if (response?.status === 304) cached.at = Date.now();
  else if (response?.status === 404) cached = undefined; // the label was removed
  if (!cached) throw new Error(\`The prompt cannot be read: \${response?.status ?? "no answer"}\`);
  return cached.prompt;
}

/** Replaces each variable once, as it is; values are not templates. */
function fill(text, values) {
  return text.replaceAll(/\\{\\{\\s*([A-Za-z_]\\w*)\\s*\\}\\}/g, (whole, name) => {
    if (!(name in values)) throw new Error(\`No value for \${name}\`);
    return values[name];
  });
}

export async function ask(values, callModel) {
  const prompt = await readPrompt();
  const messages =
    prompt.kind === "chat"
      ? prompt.content.map(({ role, content }) => ({ role, content: fill(content, values) }))
      : [{ role: "user", content: fill(prompt.content, values) }];
  // On the call's own span, or on one around it: its calls are told by this version.
  return trace.getTracer("app").startActiveSpan("ask", async (span) => {
    span.setAttributes({ "gen_ai.prompt.name": prompt.name, "gen_ai.prompt.version": String(prompt.version) });
    try {
      return await callModel(messages);
    } finally {
      span.end();
    }
  });
}
`;
