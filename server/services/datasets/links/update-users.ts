import { sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { lockRowsOfDatasets } from "../examples/lock-dataset";

/**
 * Copies the end users of conversations that are about to expire to the Examples and imports made from them: a user may have
 * become known only afterwards. The caller has locked the conversations.
 */
export async function updateUsers(tx: Ctx, conversationIds: readonly string[]): Promise<void> {
  const ids = textArray([...conversationIds]);
  const differing = sql`c.project_id = ${tx.projectId} and c.id = any(${ids})
    and o.project_id = c.project_id and o.conversation_id = c.id and o.conversation_id = any(${ids})
    and c.user_id is not null and o.user_id is distinct from c.user_id`;
  // Checked first, because an update would cost a cleanup of the Examples' index even if it changed nothing.
  const examples = await tx.db.execute<{ dataset_id: string }>(sql`
    select distinct o.dataset_id from conversations c, example_revisions o where ${differing}`);
  if (examples.length > 0) {
    // No revision can be added from here on.
    await lockRowsOfDatasets(tx, textArray([...examples].map(({ dataset_id }) => dataset_id)));
    await tx.db.execute(
      sql`update example_revisions o set user_id = c.user_id from conversations c where ${differing}`,
    );
  }
  await tx.db.execute(
    sql`update dataset_import_sources o set user_id = c.user_id from conversations c where ${differing}`,
  );
}
