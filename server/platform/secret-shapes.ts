/**
 * Secrets that are recognised by their shape. Shapes come from the vendors' documentation, GitHub's secret scanning
 * (docs.github.com/code-security/secret-scanning, "supported patterns") and gitleaks' rules (MIT,
 * github.com/gitleaks/gitleaks). A pattern is tried only if the text contains its `hint`. Patterns start where no letter or
 * digit precedes, and repeat single character classes only, so that matching takes linear time.
 */
export type Shape = {
  kind: string;
  /** A literal that every such secret contains. */
  hint: string;
  pattern: RegExp;
  /** Confirms a match, where the pattern alone also matches other text. */
  confirms?: (found: string) => boolean;
};

const hasDigit = (text: string) => /\d/.test(text);
const shape = (kind: string, hint: string, rest: string, confirms?: Shape["confirms"]): Shape => ({
  kind,
  hint,
  pattern: new RegExp(`(?<![A-Za-z0-9])${rest}`, "g"),
  ...(confirms ? { confirms } : {}),
});

const PEM_EDGE = "[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----";

export const SHAPES: readonly Shape[] = [
  // Ours
  shape("Whetstone key", "whet_", "whet_[A-Za-z0-9]{8,64}_[A-Za-z0-9]{16,128}"),
  // Model vendors and gateways
  shape("Anthropic key", "sk-ant-", "sk-ant-[A-Za-z0-9_-]{12,256}"),
  shape("secret key", "sk-", "sk-[A-Za-z0-9_-]{16,256}", hasDigit), // OpenAI, OpenRouter, DeepSeek, Langfuse, LiteLLM
  shape("Google key", "AIza", "AIza[A-Za-z0-9_-]{30,64}"),
  shape("Google key", "AQ.Ab", "AQ\\.Ab[A-Za-z0-9_-]{30,256}"),
  shape("Google token", "ya29.", "ya29\\.[A-Za-z0-9_-]{20,2048}"),
  shape("Google client secret", "GOCSPX-", "GOCSPX-[A-Za-z0-9_-]{20,64}"),
  shape("Hugging Face token", "hf_", "hf_[A-Za-z0-9]{20,64}"),
  shape("Groq key", "gsk_", "gsk_[A-Za-z0-9]{20,128}"),
  shape("xAI key", "xai-", "xai-[A-Za-z0-9]{20,128}"),
  shape("Perplexity key", "pplx-", "pplx-[A-Za-z0-9]{20,128}"),
  shape("Replicate token", "r8_", "r8_[A-Za-z0-9]{30,64}"),
  shape("NVIDIA key", "nvapi-", "nvapi-[A-Za-z0-9_-]{20,128}"),
  shape("Fireworks key", "fw_", "fw_[A-Za-z0-9]{20,64}"),
  shape("Together key", "tgp_v1_", "tgp_v1_[A-Za-z0-9_-]{20,128}"),
  shape("Cerebras key", "csk-", "csk-[A-Za-z0-9]{20,128}"),
  shape("Tavily key", "tvly-", "tvly-[A-Za-z0-9_-]{16,128}", hasDigit),
  shape("Pinecone key", "pcsk_", "pcsk_[A-Za-z0-9_]{20,128}"),
  shape("LangSmith key", "lsv2_", "lsv2_[a-z]{2}_[A-Za-z0-9_]{20,128}"),
  shape("Databricks token", "dapi", "dapi[0-9a-f]{32}(?:-\\d)?"),
  // Clouds
  shape("AWS key id", "AKIA", "AKIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
  shape("AWS key id", "ASIA", "ASIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
  shape("AWS Bedrock key", "ABSK", "ABSK[A-Za-z0-9+/]{60,512}={0,2}"),
  shape("DigitalOcean token", "_v1_", "do[opr]_v1_[a-f0-9]{40,128}"),
  shape("Vault token", "hvs.", "hvs\\.[A-Za-z0-9_-]{20,256}"),
  shape("Supabase key", "sb_secret_", "sb_secret_[A-Za-z0-9_-]{16,128}"),
  // Code hosts and registries
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((hint) => shape("GitHub token", hint, `${hint}[A-Za-z0-9]{20,255}`)),
  shape("GitHub token", "github_pat_", "github_pat_[A-Za-z0-9_]{20,255}"),
  ...["pat", "ptt", "dt", "rt", "cbt", "ft", "soat", "agent", "imt", "ffct"].map((type) =>
    shape("GitLab token", `gl${type}-`, `gl${type}-[A-Za-z0-9_.-]{16,256}`),
  ),
  shape("npm token", "npm_", "npm_[A-Za-z0-9]{30,64}"),
  shape("PyPI token", "pypi-", "pypi-[A-Za-z0-9_-]{40,512}"),
  // Chat, mail, payment and work
  shape("Slack token", "xox", "xox[abeoprs](?:\\.[a-z]{2,8})?-[A-Za-z0-9-]{12,512}"),
  shape("Slack token", "xapp-", "xapp-[A-Za-z0-9-]{12,512}"),
  shape(
    "Slack webhook",
    "hooks.slack.com/",
    "hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{20,128}",
  ),
  shape("Telegram token", ":AA", "\\d{8,10}:AA[A-Za-z0-9_-]{32,36}"),
  shape("Stripe key", "_live_", "[rs]k_live_[A-Za-z0-9]{10,256}"),
  shape("Stripe key", "_test_", "[rs]k_test_[A-Za-z0-9]{10,256}"),
  shape("webhook secret", "whsec_", "whsec_[A-Za-z0-9+/=]{16,256}"),
  shape("SendGrid key", "SG.", "SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,128}"),
  shape("Shopify token", "shp", "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
  shape("Linear key", "lin_api_", "lin_api_[A-Za-z0-9]{20,128}"),
  shape("Notion token", "ntn_", "ntn_[A-Za-z0-9]{30,64}"),
  // Formats
  {
    kind: "private key",
    hint: "PRIVATE KEY",
    // Line breaks may be escaped; a truncated key is masked to its end.
    pattern: new RegExp(
      `-----BEGIN ${PEM_EDGE}(?:[A-Za-z0-9+/=\\s:,.]|\\\\+[rnt]|-(?!-))*(?:-----END ${PEM_EDGE})?`,
      "g",
    ),
  },
  {
    kind: "JWT",
    hint: "eyJ",
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]{4,}){2,4}/g,
  },
];

/** An AWS secret access key has no distinctive shape: 40 characters of base64 count as one if the text has a key id. */
export const AWS_KEY_ID = /(?<![A-Za-z0-9])A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])/;
export const AWS_SECRET = /(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g;
export const looksRandom = (text: string) => hasDigit(text) && /[a-z]/.test(text) && /[A-Z]/.test(text);

/** The value of `Authorization`: scheme and credential. Prose such as "basic authentication" matches too. */
export const SCHEMES = /(?<![A-Za-z0-9])(bearer|basic)([ \t]{1,4})([A-Za-z0-9._~+/=-]{8,})/gi;

/** Whether the text after a scheme's name is a credential rather than a word of a sentence. */
export function isCredentialOf(scheme: string, text: string): boolean {
  if (scheme.toLowerCase() === "bearer") return hasDigit(text);
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) && Buffer.from(text.slice(0, 400), "base64").includes(":");
}

/** Every shape has a run of at least this many key characters; a shorter one after `Bearer` or `Basic` is a word. */
const RUN = 16;
const IN_RUN = new Uint8Array(128);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.+/=") {
  IN_RUN[char.charCodeAt(0)] = 1;
}

/** Whether the text has a run of that length. Scans candidates from their far end, so that most characters of prose are skipped. */
export function hasSecretRun(text: string): boolean {
  for (let start = 0; start + RUN <= text.length; ) {
    let at = start + RUN - 1;
    while (at >= start && IN_RUN[text.charCodeAt(at)] === 1) at--;
    if (at < start) return true;
    start = at + 1;
  }
  return false;
}

const HINTS = new RegExp(
  [...new Set(SHAPES.map(({ hint }) => hint.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&")))].join("|"),
);

/**
 * Whether the text has a run of that length with a hint in it. Checks for hints in runs only, and for keys that are split over
 * lines.
 */
export function mayHoldSecret(text: string): boolean {
  for (let start = 0; start + RUN <= text.length; ) {
    let at = start + RUN - 1;
    while (at >= start && IN_RUN[text.charCodeAt(at)] === 1) at--;
    if (at >= start) {
      start = at + 1;
      continue;
    }
    let end = start + RUN;
    while (end < text.length && IN_RUN[text.charCodeAt(end)] === 1) end++;
    // The hint may begin with the separator before the run.
    if (HINTS.test(text.slice(Math.max(0, start - 1), end))) return true;
    start = end;
  }
  return text.includes("PRIVATE KEY");
}
