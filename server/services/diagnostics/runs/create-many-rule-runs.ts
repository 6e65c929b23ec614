import { and, eq } from "drizzle-orm";
import type { z } from "zod";
import { isOneOf } from "@/db/rows";
import { conversations } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { notFoundAmong, ServiceError, unprocessable } from "@/server/platform/errors";
import { conversationsSelected, RUNS_PER_EVENT } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import { idsOfMatching } from "@/server/services/telemetry";
import { CONVERSATIONS_COUNTED } from "@/server/services/telemetry/schemas";
import { createManyRuleRunsInput, diagnosisReply, requestedDiagnosisReply } from "../schemas";
import { configuredRules } from "../settings/rule-settings";
import { queueRuleRuns } from "./queue-rule-runs";

/** A background job queues Runs for more conversations than this. */
const AT_ONCE = 100;
const counted = CONVERSATIONS_COUNTED.toLocaleString("en");

export const createManyRuleRuns = verb(
  {
    name: "ruleRuns.createMany",
    summary: "Queue every enabled Rule for several conversations: listed ones, or all that match a filter.",
    description: `Send \`conversationIds\` (Whetstone's ids) or \`filter\`, the filters of the conversation list. Each conversation is checked as it is when its Runs are queued; one that was already checked in that state gets no new Run. A filter takes at most ${counted} conversations (422 beyond; a backfill takes more). With more than ${AT_ONCE} a background job queues the Runs, and \`queued\` is \`null\`.`,
    effect: "write",
    capability: "diagnostics:write",
    input: createManyRuleRunsInput,
    reply: diagnosisReply,
    writeOnlyReply: { unless: ["diagnostics:read", "project:data:read"], reply: requestedDiagnosisReply },
  },
  async (ctx, input) => {
    const ids = await selectedIds(ctx, input);
    const rules = await enabledRules(ctx);
    auditNote(ctx, { target: null, after: { conversations: ids.length, rules: rules.map(({ rule }) => rule.id) } });
    const diagnosis = { conversations: ids.length, rules: rules.length };
    if (ids.length <= AT_ONCE) return { diagnosis: { ...diagnosis, queued: await queueFor(ctx, ids) } };
    const { projectId } = ctx;
    for (let from = 0; from < ids.length; from += RUNS_PER_EVENT) {
      await emit(
        ctx.db,
        conversationsSelected.create({ projectId, conversationIds: ids.slice(from, from + RUNS_PER_EVENT) }),
      );
    }
    return { diagnosis: { ...diagnosis, queued: null } };
  },
);

/** Queues every enabled Rule for conversations of a selection, those that still exist. Repeating it queues nothing twice. */
export const queueSelected = (ctx: Ctx, conversationIds: readonly string[]): Promise<number> =>
  inTransaction(ctx, (tx) => queueFor(tx, conversationIds, { bulk: true }));

const enabledRules = async (ctx: Ctx) => (await configuredRules(ctx)).filter(({ enabled }) => enabled);

async function queueFor(tx: Ctx, ids: readonly string[], options: { bulk?: boolean } = {}) {
  const rows = await existing(tx, ids);
  const snapshots = rows.map(({ id, lastActivityAt }) => ({ conversationId: id, lastActivityAt, traceIds: [] }));
  const queued = await queueRuleRuns(tx, snapshots, await enabledRules(tx), { origin: "on_demand", ...options });
  return queued.length;
}

const existing = ({ db, projectId }: Ctx, ids: readonly string[]) =>
  db
    .select({ id: conversations.id, lastActivityAt: conversations.lastActivityAt })
    .from(conversations)
    .where(and(eq(conversations.projectId, projectId), isOneOf(conversations.id, ids)))
    .orderBy(conversations.id);

async function selectedIds(ctx: Ctx, { conversationIds, filter }: z.output<typeof createManyRuleRunsInput>) {
  if ((conversationIds === undefined) === (filter === undefined)) {
    const message = "Send either conversationIds or filter.";
    throw new ServiceError("invalid", message, { errors: [{ path: "", message }] });
  }
  if (conversationIds !== undefined) {
    const ids = [...new Set(conversationIds)];
    const found = new Set((await existing(ctx, ids)).map(({ id }) => id));
    if (found.size < ids.length) throw notFoundAmong("A conversation", "/conversationIds", conversationIds, found);
    return ids;
  }
  const ids = await idsOfMatching(ctx, filter!, CONVERSATIONS_COUNTED + 1);
  if (ids.length > CONVERSATIONS_COUNTED) {
    throw unprocessable("/filter", `More than ${counted} conversations match: narrow the filter, or backfill a Rule.`);
  }
  return ids;
}
