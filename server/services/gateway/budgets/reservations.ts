import { createHash } from "node:crypto";
import { Decimal } from "decimal.js";
import { sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { ServiceError } from "@/server/platform/errors";
import { TODAY } from "./budget-rows";

/** What a call has reserved: as much of each of its budgets, on the day on which it began. */
export type Reservation = { day: number; parts: readonly Part[]; usd: string };
type Part = { budget_id: string; subject: string };

/** A user is known by a hash: budgets need not say who spent. Calls that name nobody are one user's. */
const subjectOf = (user: string | null) => createHash("sha256").update(JSON.stringify(user)).digest("hex").slice(0, 32);

/** Rolls back what was reserved of other budgets. */
class DoesNotFit extends Error {}

/**
 * Reserves an amount of all these budgets, or of none, so that any number of calls at once stay within them. Throws
 * `budget_exceeded`. Budgets are taken in one order, so that calls do not wait for each other in a circle.
 */
export async function reserve(
  ctx: Ctx,
  budgetIds: readonly string[],
  usd: string,
  user: string | null,
): Promise<Reservation | null> {
  const ids = textArray([...budgetIds].sort());
  const subject = subjectOf(user);
  try {
    return await inTransaction(ctx, async ({ db, projectId }) => {
      const [row] = await db.execute<{ wanted: number; day: number; parts: Part[] }>(sql`
        with clock as materialized (select ${TODAY} as day),
        wanted as materialized (
          select id, daily_usd, case scope when 'user' then ${subject} else '' end as subject
          from gateway_budgets where project_id = ${projectId} and id = any(${ids})
        ),
        spent as (
          insert into gateway_spending as s (project_id, budget_id, day, subject, usd)
          select ${projectId}, id, clock.day, subject, ${usd}::numeric from wanted, clock
          where ${usd}::numeric <= daily_usd order by id
          on conflict (project_id, budget_id, day, subject) do update set usd = s.usd + excluded.usd
          where s.usd + excluded.usd <= (select daily_usd from wanted where wanted.id = excluded.budget_id)
          returning s.budget_id, s.subject
        )
        select (select count(*)::int from wanted) as wanted, (select day from clock) as day,
          coalesce((select jsonb_agg(jsonb_build_object('budget_id', budget_id, 'subject', subject)) from spent), '[]') as parts`);
      if (!row || row.parts.length < row.wanted) throw new DoesNotFit();
      return row.wanted === 0 ? null : { day: row.day, parts: row.parts, usd };
    });
  } catch (error) {
    throw error instanceof DoesNotFit ? await exceeded(ctx, budgetIds, usd, user) : error;
  }
}

/** Replaces what a call has reserved with what it cost. Budgets that were deleted meanwhile are left alone. */
export async function settle({ db, projectId }: Ctx, { day, parts, usd }: Reservation, cost: string): Promise<void> {
  const [ids, subjects] = [textArray(parts.map((one) => one.budget_id)), textArray(parts.map((one) => one.subject))];
  await db.execute(sql`
    with mine as (
      select s.budget_id, s.subject from gateway_spending s
      join unnest(${ids}, ${subjects}) as part(budget_id, subject) on part.budget_id = s.budget_id and part.subject = s.subject
      where s.project_id = ${projectId} and s.day = ${day} order by s.budget_id for update of s
    )
    update gateway_spending s set usd = s.usd + ${cost}::numeric - ${usd}::numeric from mine
    where s.project_id = ${projectId} and s.day = ${day} and s.budget_id = mine.budget_id and s.subject = mine.subject`);
}

type Full = { scope: string; key_name: string | null; daily_usd: string; spent: string; day: number };

/** Returns the error for a call that does not fit in a budget, which says in which, and when it is empty again. */
async function exceeded(ctx: Ctx, budgetIds: readonly string[], usd: string, user: string | null) {
  const rows = await ctx.db.execute<Full>(sql`
    select b.scope, k.name as key_name, b.daily_usd, coalesce(s.usd, 0) as spent, clock.day
    from (select ${TODAY} as day) clock cross join gateway_budgets b
    left join api_keys k on k.project_id = b.project_id and k.id = b.key_id
    left join gateway_spending s on s.project_id = b.project_id and s.budget_id = b.id and s.day = clock.day
      and s.subject = case b.scope when 'user' then ${subjectOf(user)} else '' end
    where b.project_id = ${ctx.projectId} and b.id = any(${textArray([...budgetIds])})
    order by b.daily_usd - coalesce(s.usd, 0), b.id limit 1`);
  const [full] = rows;
  if (!full) return new ServiceError("budget_exceeded", "The daily budget is used up.");
  const whose =
    full.scope === "project" ? "the project" : full.scope === "key" ? `the key “${full.key_name}”` : "this user";
  const resets = new Date((full.day + 1) * DAY_MS).toISOString();
  return new ServiceError(
    "budget_exceeded",
    `The daily budget of ${whose} is used up: $${shown(full.spent)} of $${shown(full.daily_usd)} are spent or reserved, and this call may cost $${shown(usd)}. It resets at ${resets}.`,
  );
}

const DIGITS = 4;
const shown = (usd: string) => new Decimal(usd).toSignificantDigits(DIGITS).toString();
