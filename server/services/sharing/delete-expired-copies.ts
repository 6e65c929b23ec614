import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import type { Ctx } from "@/server/platform/context";

/** Deletes copies of the project's expired links, at most `limit` parts. Returns how many. The links stay, to say that they expired. */
export async function deleteExpiredCopies({ db, projectId }: Ctx, limit: number): Promise<number> {
  const gone = await db.execute(sql`
    delete from shared_parts where (project_id, share_link_id, position) in (
      select p.project_id, p.share_link_id, p.position
      from share_links l join shared_parts p on p.project_id = l.project_id and p.share_link_id = l.id
      where l.project_id = ${projectId} and l.expires_at <= ${NOW} limit ${limit})
    returning 1`);
  return gone.length;
}
