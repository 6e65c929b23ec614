/**
 * Secrets that are known by how they look. Forms are those that the vendors document, that GitHub's secret scanning lists
 * (docs.github.com/code-security/secret-scanning, "supported patterns") and that gitleaks' rules give (MIT,
 * github.com/gitleaks/gitleaks). Each pattern is tried only where its `hint` stands in the text; it begins where no letter or
 * digit stands before it, and what repeats is one class, so that its time is linear in the text.
 */
export type Shape = {
  kind: string;
  /** What every such secret contains, exactly. */
  hint: string;
  pattern: RegExp;
  /** Tells a secret from what only begins like one. */
  holds?: (found: string) => boolean;
};

const hasDigit = (text: string) => /\d/.test(text);
const shape = (kind: string, hint: string, rest: string, holds?: Shape["holds"]): Shape => ({
  kind,
  hint,
  pattern: new RegExp(`(?<![A-Za-z0-9])${rest}`, "g"),
  ...(holds ? { holds } : {}),
});

const PEM_EDGE = "[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----";

export const SHAPES: readonly Shape[] = [
  // Ours
  shape("Whetstone key", "whet_", "whet_[A-Za-z0-9]{8,64}_[A-Za-z0-9]{16,128}"),
  // Model vendors and what stands in front of them
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
  shape("GitLab token", "gl", "gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|imt|ffct)-[A-Za-z0-9_.-]{16,256}"),
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
    // Its lines, as they stand or escaped; cut off, what is left of it goes too.
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

/** A secret access key of AWS has no mark of its own: beside a key id, forty characters of base64 are one. */
export const AWS_KEY_ID = /(?<![A-Za-z0-9])A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])/;
export const AWS_SECRET = /(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g;
export const looksRandom = (text: string) => hasDigit(text) && /[a-z]/.test(text) && /[A-Z]/.test(text);

/** `Authorization`'s value: a word, and the credential. Prose says "basic authentication" too. */
export const SCHEMES = /(?<![A-Za-z0-9])(bearer|basic)([ \t]{1,4})([A-Za-z0-9._~+/=-]{8,})/gi;

/** Whether what follows a scheme's name is a credential and no word of a sentence. */
export function isCredentialOf(scheme: string, text: string): boolean {
  if (scheme.toLowerCase() === "bearer") return hasDigit(text);
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) && Buffer.from(text.slice(0, 400), "base64").includes(":");
}
