import { percentile } from "./machine";

type Project = { url: string; projectId: string; secret: string };
type Rows = { id: string; traceIds: string[] }[];

const WORDS = ["refund", "order", "address", "invoice"];

const KINDS = [
  "conversations",
  "next page",
  "one conversation",
  "search",
  "findings",
  "one trace",
  "status of the Rules",
  "with Findings",
] as const;
type Kind = (typeof KINDS)[number];
const kindOf = (nth: number) => KINDS[nth % KINDS.length] as Kind;

/** Returns the slowest kinds of reads with their p95 in ms. */
export const slowestKinds = (took: readonly { nth: number; value: number }[]) =>
  KINDS.map((kind) => {
    const samples = took.filter(({ nth }) => kindOf(nth) === kind).map(({ value }) => value);
    return { kind, p95: percentile(samples, 0.95) };
  })
    .sort((a, b) => b.p95 - a.p95)
    .map(({ kind, p95 }) => `${kind} ${Math.round(p95)}`)
    .join(", ");

/**
 * Simulates a person working in a project through /v1: lists, one conversation, one trace, searches, Findings, in turn. Each
 * call performs the `nth` of them, reads the whole response and fails on anything but success.
 */
export function readerOf({ url, projectId, secret }: Project) {
  let seen: Rows = [];
  let cursor: string | null = null;
  const of = (path: string) => `${url}/v1/projects/${projectId}/${path}`;

  const ask = async (path: string) => {
    const reply = await fetch(of(path), { headers: { authorization: `Bearer ${secret}` } });
    const body = await reply.json();
    if (!reply.ok) throw new Error(`${path.replace(/[\w-]{20,}/, "…")}: ${reply.status}`);
    return body;
  };
  const list = async (query = "") => {
    const page = await ask(`conversations?limit=50${query}`);
    if (page.conversations.length > 0) seen = page.conversations;
    cursor = page.pagination.nextCursor;
  };
  const one = (nth: number) => seen[nth % seen.length];

  const reads: Record<Kind, (nth: number) => Promise<unknown>> = {
    conversations: () => list(),
    "next page": () => list(cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""),
    "one conversation": (nth) => ask(`conversations/${one(nth)?.id}`),
    search: (nth) => ask(`conversations?limit=50&q=${WORDS[nth % WORDS.length]}`),
    findings: () => ask("diagnostics/findings"),
    "one trace": (nth) => ask(`traces/${one(nth)?.traceIds[0]}`),
    "status of the Rules": () => ask("diagnostics/status"),
    "with Findings": () => ask("conversations?limit=50&hasFindings=true"),
  };
  return {
    read: async (nth: number) => {
      if (seen.length === 0) await list();
      await reads[kindOf(nth)](nth);
    },
  };
}
