import { createHash } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { gatewayAssignments } from "@/db/schema";
import type { EXPERIMENT_ARMS } from "@/db/schema/enumerations";
import type { Ctx } from "@/server/platform/context";
import type { Subject } from "./subject-of";

/** The arm of a conversation, and the hash by which it is known. */
export type Assignment = { arm: (typeof EXPERIMENT_ARMS)[number]; conversation: string; notApplied: boolean };

type Row = { arm: Assignment["arm"]; conversation: string | null; not_applied: boolean };

const CONVERSATIONS = 100_000;
const PERCENT = 100;
const UINT32 = 2 ** 32;

/** Returns where between 0 and 100 a conversation stands: below the share, it is the variant's. In each experiment it is elsewhere. */
const placeOf = (experimentId: string, hash: string) =>
  (createHash("sha256").update(`${experimentId} ${hash}`).digest().readUInt32BE() / UINT32) * PERCENT;

/**
 * Assigns conversations to the arms of experiments. The first call of a conversation stores its arm with one statement, before
 * it is sent; all others find it in memory or, in another process, in its row. So neither a process that dies nor a share that
 * changes moves a conversation.
 */
export function createAssigner() {
  const known = new LRUCache<string, Assignment>({ max: CONVERSATIONS });
  const keyOf = ({ projectId }: Ctx, experimentId: string, hash: string) => `${projectId} ${experimentId} ${hash}`;

  const isAssigned = ({ projectId }: Ctx, experimentId: string, hash: string) =>
    and(
      eq(gatewayAssignments.projectId, projectId),
      eq(gatewayAssignments.experimentId, experimentId),
      eq(gatewayAssignments.subject, hash),
    );

  async function read(ctx: Ctx, experimentId: string, hash: string): Promise<Row | undefined> {
    const { arm, conversation, notApplied: not_applied } = gatewayAssignments;
    const [row] = await ctx.db
      .select({ arm, conversation, not_applied })
      .from(gatewayAssignments)
      .where(isAssigned(ctx, experimentId, hash));
    return row;
  }

  /** An experiment that has ended, or that another process knows longer than it runs, assigns nothing. */
  async function insert({ db, projectId }: Ctx, experimentId: string, hash: string): Promise<Row | undefined> {
    const [row] = await db.execute<Row>(sql`
      insert into gateway_assignments (project_id, experiment_id, subject, arm)
      select e.project_id, e.id, ${hash}, case when ${placeOf(experimentId, hash)}::float8 < e.share then 'variant' else 'baseline' end
      from gateway_experiments e
      where e.project_id = ${projectId} and e.id = ${experimentId} and e.ended_at is null
      on conflict do nothing
      returning arm, conversation, not_applied`);
    return row;
  }

  return {
    /** Returns the arm of a call's conversation; `null` if it is outside the experiment. */
    async assign(ctx: Ctx, experimentId: string, { hash, names }: Subject): Promise<Assignment | null> {
      const key = keyOf(ctx, experimentId, hash);
      const cached = known.get(key);
      if (cached) return cached;
      const inserted = names === "conversation" ? await insert(ctx, experimentId, hash) : undefined;
      // A statement does not see what another one has stored since it began.
      const row = inserted ?? (await read(ctx, experimentId, hash));
      if (!row) return null;
      const assignment = { arm: row.arm, conversation: row.conversation ?? hash, notApplied: row.not_applied };
      known.set(key, assignment);
      return assignment;
    },

    /** Stores that calls which refer to a response belong to a conversation. */
    async continueWith(ctx: Ctx, experimentId: string, { arm, conversation, notApplied }: Assignment, hash: string) {
      known.set(keyOf(ctx, experimentId, hash), { arm, conversation, notApplied });
      await ctx.db
        .insert(gatewayAssignments)
        .values({ projectId: ctx.projectId, experimentId, subject: hash, arm, conversation })
        .onConflictDoNothing();
    },

    /** Stores that the variant did not fit one of the conversation's calls. */
    async noteNotApplied(ctx: Ctx, experimentId: string, assignment: Assignment) {
      if (assignment.notApplied) return;
      assignment.notApplied = true;
      await ctx.db
        .update(gatewayAssignments)
        .set({ notApplied: true })
        .where(isAssigned(ctx, experimentId, assignment.conversation));
    },
  };
}
export type Assigner = ReturnType<typeof createAssigner>;
