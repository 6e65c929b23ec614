import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import type { Cause } from "../versions/open-version";
import { lockConversations } from "./lock-conversations";
import { linkOf } from "./revisions";
import type { Change } from "./types";

/**
 * Returns the drafts' conversations that do not exist, so that no Example can be made from them. The others cannot be deleted
 * until the end of the transaction. Throws `conflict` while one is being changed or deleted, because it may still exist
 * afterwards. An import may refer to a conversation that has expired since the export: its Example can still be found through
 * the user.
 */
export async function missingConversations(
  tx: Ctx,
  changes: readonly Change[],
  kind: Cause["kind"],
): Promise<ReadonlySet<string>> {
  const { gone, busy } = await lockConversations(
    tx,
    changes.flatMap((change) => linkOf(change)?.conversationId ?? []),
  );
  if (busy.size > 0)
    throw new ServiceError("conflict", "A conversation is being changed or deleted. Retry in a moment.");
  return kind === "import" ? new Set() : gone;
}
