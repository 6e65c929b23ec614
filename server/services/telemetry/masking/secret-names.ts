/** Cached names; the cache is cleared when a client that invents names fills it. */
const CACHED_NAMES_MAX = 5000;

/** Memoizes `judge` by name. */
export function memoizeByName<Verdict>(judge: (name: string) => Verdict): (name: string) => Verdict {
  const known = new Map<string, Verdict>();
  return (name) => {
    let verdict = known.get(name);
    if (verdict === undefined) {
      verdict = judge(name);
      if (known.size >= CACHED_NAMES_MAX) known.clear();
      known.set(name, verdict);
    }
    return verdict;
  };
}

/** Normalises spellings: `x-API-Key`, `xApiKey` and `X_API_KEY` become one name. */
const words = (name: string) =>
  name
    .slice(-200)
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_");

/** Suffixes of names whose value is a credential. `token` alone is excluded: it also means a model's token. */
const SECRET = new RegExp(
  `(?:^|_)(?:${[
    "(?:api|access|secret|private|account|subscription|auth|signing|encryption|master|service|ssh)_?key",
    "(?:access|refresh|id|auth|bearer|session|security|api|secret|oauth|bot|csrf|xsrf|personal_access|app)_?token",
    "pass_?word",
    "passwd",
    "pass_?phrase",
    "pwd",
    "secret",
    "client_?secret",
    "credentials?",
    "authorization",
    "cookies?",
  ].join("|")})$`,
);
export const isSecretName = memoizeByName((name) => SECRET.test(words(name)));

/** Additional names in the query of a URL. */
const SECRET_PARAMETER =
  /^(?:token|sig|signature|x_amz_signature|x_amz_credential|x_goog_signature|awsaccess_?key_?id)$/;
export const isSecretParameter = memoizeByName((name) => isSecretName(name) || SECRET_PARAMETER.test(words(name)));

/** Allowed headers: they describe a request and grant no access. A trailing `*` matches any suffix. */
const ALLOWED_HEADERS = [
  "accept*",
  "age",
  "anthropic-beta",
  "anthropic-ratelimit-*",
  "anthropic-version",
  "apim-request-id",
  "baggage",
  "cache-control",
  "cf-ray",
  "connection",
  "content-encoding",
  "content-language",
  "content-length",
  "content-type",
  "date",
  "etag",
  "grpc-accept-encoding",
  "grpc-encoding",
  "grpc-status",
  "grpc-timeout",
  "host",
  "openai-model",
  "openai-processing-ms",
  "openai-version",
  "request-id",
  "retry-after",
  "server",
  "server-timing",
  "te",
  "traceparent",
  "tracestate",
  "transfer-encoding",
  "user-agent",
  "vary",
  "via",
  "x-amzn-requestid",
  "x-amzn-trace-id",
  "x-b3-*",
  "x-cloud-trace-context",
  "x-correlation-id",
  "x-envoy-upstream-service-time",
  "x-ms-region",
  "x-ms-request-id",
  "x-rate-limit-*",
  "x-ratelimit-*",
  "x-request-id",
  "x-stainless-*",
  "x-trace-id",
];
const EXACT = new Set(ALLOWED_HEADERS.filter((name) => !name.endsWith("*")));
const PREFIXES = ALLOWED_HEADERS.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));

/** Whether a header of this name is stored, in any case, with hyphens or underscores. */
export const isStoredHeader = memoizeByName((name) => {
  const header = name.toLowerCase().replaceAll("_", "-");
  return EXACT.has(header) || PREFIXES.some((prefix) => header.startsWith(prefix));
});

/** Attributes that hold one header (its name is the last group) or all headers in one value. */
const HEADER_ATTRIBUTES = [
  // http.request.header.*, http.response.headers, ai.request.headers.*, llm.request.headers, http.headers
  /(?:^|[._])(?:request|response|http)[._](?:raw[._])?headers?(?:[._:](.+))?$/,
  // headers, mcp.headers.*, extra_headers
  /(?:^|\.)(?:(?:extra|default|custom|additional|raw)[._])?headers(?:[._:](.+))?$/,
  // rpc.grpc.request.metadata.*, rpc.response.metadata.*
  /(?:^|\.)g?rpc\.(?:[^.]{1,40}\.){0,3}metadata(?:\.(.+))?$/,
];
const underscored = (name: string) => name.replaceAll(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();

/** Returns the header that an attribute of this name holds; `"*"` if it holds several, `""` if it holds none. */
function headerIn(name: string): string {
  const given = name.slice(0, 300);
  if (!/header|metadata/i.test(given)) return "";
  for (const spelling of [given.toLowerCase(), underscored(given)]) {
    for (const pattern of HEADER_ATTRIBUTES) {
      const found = pattern.exec(spelling);
      if (found) return found[1] ?? "*";
    }
  }
  return "";
}

/** What a name says about its value: several headers, a header that is not stored, a secret, or none of these. */
export type Meaning = "headers" | "unstored header" | "secret" | "plain";
export const meaningOf = memoizeByName((name): Meaning => {
  const header = headerIn(name);
  if (header === "*") return "headers";
  if (header !== "") return isStoredHeader(header) ? "plain" : "unstored header";
  return isSecretName(name) ? "secret" : "plain";
});
