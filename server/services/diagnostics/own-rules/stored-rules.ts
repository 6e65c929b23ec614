import { and, desc, eq, inArray } from "drizzle-orm";
import { ownRules } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { RULES } from "../rules";
import type { Rule } from "../types";
import { ownRule } from "./own-rule";
import { ownDefinition } from "./schemas";

type Row = typeof ownRules.$inferSelect;
const ruleOf = ({ id, version, definition }: Row): Rule => ownRule(id, version, ownDefinition.parse(definition));

/** Returns the project's Rules: the built-in ones, then its own in their newest version, oldest first. */
export async function projectRules({ db, projectId }: Pick<Ctx, "db" | "projectId">): Promise<readonly Rule[]> {
  const rows = await db
    .selectDistinctOn([ownRules.id])
    .from(ownRules)
    .where(eq(ownRules.projectId, projectId))
    .orderBy(ownRules.id, desc(ownRules.version));
  return [...RULES, ...rows.map(ruleOf)];
}

/** Returns a lookup of the Rules among these that are the project's own, in any version. */
export async function ownRulesAt({ db, projectId }: Pick<Ctx, "db" | "projectId">, ids: readonly string[]) {
  const rows =
    ids.length === 0
      ? []
      : await db
          .select()
          .from(ownRules)
          .where(and(eq(ownRules.projectId, projectId), inArray(ownRules.id, [...new Set(ids)])));
  const byVersion = new Map(rows.map((row) => [`${row.id} ${row.version}`, ruleOf(row)]));
  return (id: string, version: number) => byVersion.get(`${id} ${version}`);
}
