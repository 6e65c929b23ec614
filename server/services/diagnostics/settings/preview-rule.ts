import { and, desc, eq, gte, lt, or, sql } from "drizzle-orm";
import { databaseNow } from "@/db/database-now";
import { conversations } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { verb } from "@/server/platform/verb";
import type { Snapshot } from "@/server/services/telemetry";
import { outcomeOf, type RuleConfiguration, type RuleOccurrence, signalsIn, signalsOf } from "../rules";
import type { Rule } from "../types";
import { readInPieces } from "../windows/read-in-pieces";
import { readLong, signalsFound } from "../windows/read-long";
import { type ChangeExample, previewedRuleReply, previewRuleInput, previewRuleReply } from "./schemas";
import { configuredWith } from "./try-rule";

const DAYS = 7;
const CONVERSATIONS_MAX = 2_000;
/** Short because a person is waiting for the preview. */
const TIME_MS = 5_000;
/** Conversations loaded at a time. */
const PAGE = 50;
/** Examples per Signal and direction. */
const EXAMPLES_MAX = 5;

export const previewRule = verb(
  {
    name: "rules.preview",
    summary: "Preview what an unsaved configuration would have found in the last 7 days, compared to the saved one.",
    description: `Reads the newest conversations that started in the last ${DAYS} days, at most ${CONVERSATIONS_MAX.toLocaleString("en")} and for at most ${TIME_MS / 1000} seconds; \`complete\` is \`false\` if there are more. Counts conversations per Signal. The adjudicator is not asked, and nothing is stored.`,
    effect: "write",
    capability: "diagnostics:write",
    input: previewRuleInput,
    reply: previewRuleReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: previewedRuleReply },
  },
  {
    before: async (ctx, { ruleId, configuration: patch }) => {
      const { rule, saved, configuration } = await configuredWith(ctx, ruleId, patch);
      const since = (await databaseNow(ctx.db)) - DAYS * DAY_MS;
      const comparison = new Comparison(rule, saved, configuration);
      const complete = await readNewest(ctx, since, comparison);
      return { since, complete, ...comparison.result() };
    },
    run: async (ctx, { ruleId, configuration }, preview) => {
      auditNote(ctx, { target: { type: "rule", id: ruleId }, after: { configuration } });
      return { preview };
    },
  },
);

/** Reads conversations since a time, newest first, within the limits. Returns whether it has read all of them. */
async function readNewest(ctx: Ctx, since: number, comparison: Comparison): Promise<boolean> {
  const end = performance.now() + TIME_MS;
  let count = 0;
  let after: { startedAt: number; id: string } | undefined;
  while (count < CONVERSATIONS_MAX && performance.now() < end) {
    const page = await newestPage(ctx, since, after);
    let read = 0;
    for await (const piece of readInPieces(ctx, page, end)) {
      for (const snapshot of piece.whole) {
        comparison.add(snapshot.id, (one) => signalsIn(comparison.rule, snapshot, one));
      }
      for (const long of piece.long) await addLong(ctx, long, comparison);
      read += piece.count;
    }
    if (read < page.length) return false;
    if (page.length < PAGE) return true;
    count += page.length;
    after = page.at(-1);
  }
  return after !== undefined && (await newestPage(ctx, since, after)).length === 0;
}

async function addLong(ctx: Ctx, long: { snapshot: Snapshot; startedAt: number }, comparison: Comparison) {
  const { rule, configurations } = comparison;
  const rules = configurations.map((configuration) => ({ rule, configuration }));
  const read = await readLong(ctx, { ...long, rules });
  if (!read) return;
  const found = new Map(configurations.map((configuration, nth) => [configuration, read.found[nth]]));
  comparison.add(long.snapshot.conversationId, (configuration) => signalsFound(found.get(configuration)));
}

const newestPage = (ctx: Ctx, since: number, after: { startedAt: number; id: string } | undefined) =>
  ctx.db
    .select({
      id: conversations.id,
      startedAt: conversations.startedAt,
      lastActivityAt: conversations.lastActivityAt,
    })
    .from(conversations)
    .where(
      and(
        eq(conversations.projectId, ctx.projectId),
        gte(conversations.startedAt, since),
        after &&
          or(
            lt(conversations.startedAt, after.startedAt),
            and(eq(conversations.startedAt, after.startedAt), sql`${conversations.id} < ${after.id}`),
          ),
      ),
    )
    .orderBy(desc(conversations.startedAt), desc(conversations.id))
    .limit(PAGE);

type Counts = { before: number; after: number; gained: number; lost: number };

/** Counts, per Signal, the conversations in which each of two configurations finds it. */
class Comparison {
  private conversations = 0;
  private readonly counts: Map<string, Counts>;
  private readonly examples: ChangeExample[] = [];

  constructor(
    readonly rule: Rule,
    private readonly saved: RuleConfiguration,
    private readonly changed: RuleConfiguration,
  ) {
    this.counts = new Map(signalsOf(rule).map((name) => [name, { before: 0, after: 0, gained: 0, lost: 0 }]));
  }

  get configurations() {
    return [this.saved, this.changed];
  }

  /** Adds a conversation with what each configuration finds in it. */
  add(conversationId: string, signalsAt: SignalsAt) {
    this.conversations++;
    const before = titles(signalsAt(this.saved), this.saved);
    const after = titles(signalsAt(this.changed), this.changed);
    for (const [signal, counts] of this.counts) {
      const [was, is] = [before.get(signal), after.get(signal)];
      if (was !== undefined) counts.before++;
      if (is !== undefined) counts.after++;
      if (was === undefined && is !== undefined) this.note(conversationId, signal, "gained", ++counts.gained, is);
      if (was !== undefined && is === undefined) this.note(conversationId, signal, "lost", ++counts.lost, was);
    }
  }

  result() {
    return {
      conversations: this.conversations,
      signals: [...this.counts].map(([name, counts]) => ({ name, ...counts })),
      examples: this.examples,
    };
  }

  private note(conversationId: string, signal: string, change: ChangeExample["change"], nth: number, title: string) {
    if (nth <= EXAMPLES_MAX) this.examples.push({ conversationId, signal, change, title });
  }
}

type SignalsAt = (configuration: RuleConfiguration) => readonly RuleOccurrence[];

/** Returns the first title of each Signal that a configuration finds. */
function titles(signals: readonly RuleOccurrence[], configuration: RuleConfiguration): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const one of signals) {
    if (found.has(one.signal) || outcomeOf(one, configuration) !== "found") continue;
    found.set(one.signal, one.title);
  }
  return found;
}
