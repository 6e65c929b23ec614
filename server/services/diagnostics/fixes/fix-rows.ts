import { and, eq, sql } from "drizzle-orm";
import { findings, fixes } from "@/db/schema";
import { type Ctx, hasCapability } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import type { FindingFix } from "../findings/schemas";
import type { StartedFix } from "./measure-fix";
import type { Fix } from "./schemas";

export type FixRow = typeof fixes.$inferSelect;

/** Condition: a fix of the project. */
export const isFix = ({ projectId }: Pick<Ctx, "projectId">, id: string) =>
  and(eq(fixes.projectId, projectId), eq(fixes.id, id));

/** What a fix's JSON is made of. */
export const fixColumns = {
  row: fixes,
  findingTitle: findings.title,
  signal: findings.signal,
  // Named in full: a column alone would be that of `evaluations`.
  proofCost: sql<number>`(
    select coalesce(sum(e.cost), 0)::float8 from evaluations e
    where e.project_id = fixes.project_id and e.finding_id = fixes.finding_id)`.mapWith(Number),
};
export const findingOfFix = and(eq(findings.projectId, fixes.projectId), eq(findings.id, fixes.findingId));

type Found = { row: FixRow; findingTitle: string; signal: string; proofCost: number };

/** Returns a fix with its Finding, or throws a 404. */
export async function readFix(ctx: Ctx, id: string): Promise<Found> {
  const [found] = await ctx.db.select(fixColumns).from(fixes).innerJoin(findings, findingOfFix).where(isFix(ctx, id));
  if (!found) throw notFound("The fix");
  return found;
}

/** Returns the fix that can be measured; `null` before there is a conversation with it. */
export function startedFix({ row, signal }: Pick<Found, "row" | "signal">): StartedFix | null {
  const { id, findingId, by, value, startedAt } = row;
  if (startedAt === null) return null;
  return { id, findingId, signal, startedAt, mark: by === null || value === null ? null : { by, value } };
}

export function fixJson(ctx: Ctx, { row, findingTitle, proofCost }: Found): Fix {
  const { projectId: _, dueAt: __, measured, ...stored } = row;
  const seesCosts = hasCapability(ctx, ["model-pricing:read"]);
  const figures = measured as Omit<FindingFix, "at" | "id"> | null;
  const shown = figures && (seesCosts ? figures : { ...figures, cost: { before: null, since: null } });
  return {
    ...stored,
    findingTitle,
    measured: shown,
    avoided: shown && avoidedOf(shown),
    proofCost: seesCosts ? proofCost : null,
  };
}

function avoidedOf({ difference, since }: Pick<FindingFix, "difference" | "since">): Fix["avoided"] {
  if (difference === null) return null;
  const of = (rate: number) => -rate * since.conversations || 0;
  return { conversations: of(difference.rate), low: of(difference.high), high: of(difference.low) };
}
