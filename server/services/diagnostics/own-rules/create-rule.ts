import { isDeepStrictEqual } from "node:util";
import { sql } from "drizzle-orm";
import { ownRules } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { findAdjudicator } from "../adjudicator";
import { judgedFindings } from "../findings/judged-findings";
import { changedRuleReply, ruleReply } from "../schemas";
import { ruleJson } from "../settings/list-rules";
import { configuredRules } from "../settings/rule-settings";
import { isJudged } from "./own-rule";
import { createRuleInput, createRuleVersionInput, NO_FILTER, type OwnDefinition } from "./schemas";

/** Every Run of a project's automatic diagnosis costs time, and each own Rule a question or more. */
export const OWN_RULES_MAX = 50;

const HOW =
  "A conversation that passes `filter` is judged by the project's adjudicator, within its daily limits: `asks` different questions, each only after a yes to the one before, and one no is enough. With `asks` 0 no model is asked: what passes the filter, which must not be empty (422), is found. The question shows the conversation as the adjudicator's other questions do, without passages that instruct their reader, and a yes needs a quote that occurs in it. Runs that need a model are skipped, with the reason, while none is connected and when its budget is used up; all are for conversations that are too long to be read at once.";

export const createRule = verb(
  {
    name: "rules.create",
    summary: "Create a Rule from a description of a problem, for a model or its filter alone to judge.",
    description: `${HOW} The Rule is on from the start, and works like any other: in Runs, backfills, Findings and alerts. At most ${OWN_RULES_MAX} a project (409).`,
    effect: "write",
    capability: "diagnostics:write",
    input: createRuleInput,
    reply: ruleReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: changedRuleReply },
  },
  (ctx, definition) =>
    inTransaction(ctx, async (tx) => {
      await lockOwnRules(tx);
      const rules = await configuredRules(tx);
      if (rules.filter(({ rule }) => rule.own).length >= OWN_RULES_MAX)
        throw new ServiceError("conflict", `A project has at most ${OWN_RULES_MAX} Rules of its own.`);
      const id = newId("rule");
      await store(tx, id, 1, definition);
      auditNote(tx, { target: { type: "rule", id }, after: definition });
      return { rule: await readRule(tx, id) };
    }),
);

export const createRuleVersion = verb(
  {
    name: "rules.createVersion",
    summary: "Change the description of an own Rule, as a new version.",
    description: `The input is the whole description. A new version reads conversations anew; Runs in progress are judged by the version that they were queued for, and Findings continue. The same description makes no new version. ${HOW} 404 for a built-in Rule.`,
    effect: "write",
    capability: "diagnostics:write",
    input: createRuleVersionInput,
    reply: ruleReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: changedRuleReply },
  },
  (ctx, { ruleId, ...definition }) =>
    inTransaction(ctx, async (tx) => {
      await lockOwnRules(tx);
      const before = (await configuredRules(tx)).find(({ rule }) => rule.id === ruleId)?.rule;
      if (!before?.own) throw notFound("Rule");
      if (!isDeepStrictEqual(before.own, definition)) await store(tx, ruleId, before.version + 1, definition);
      auditNote(tx, { target: { type: "rule", id: ruleId }, before: before.own, after: definition });
      return { rule: await readRule(tx, ruleId) };
    }),
);

/** Serialises changes to a project's own Rules, which read before they write. */
const lockOwnRules = (tx: Ctx) =>
  tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`own rules ${tx.projectId}`}, 0))`);

function store({ db, projectId }: Ctx, id: string, version: number, definition: OwnDefinition) {
  if (!isJudged(definition) && isDeepStrictEqual(definition.filter, NO_FILTER)) {
    const message = "Without questions the filter decides, and an empty one would find every conversation.";
    throw new ServiceError("unprocessable", message, { errors: [{ path: "/filter", message }] });
  }
  return db.insert(ownRules).values({ projectId, id, version, definition });
}

async function readRule(tx: Ctx, id: string) {
  const configured = (await configuredRules(tx)).find(({ rule }) => rule.id === id);
  if (!configured) throw notFound("Rule");
  return ruleJson(configured, { judged: await judgedFindings(tx), adjudicator: await findAdjudicator(tx) });
}
