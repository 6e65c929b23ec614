import { createLoader, parseAsString } from "nuqs/server";

/** What the address has: whose data is looked at, and which receipt is open. */
export const viewParsers = { user: parseAsString, deletion: parseAsString };
export const loadView = createLoader(viewParsers);

const PAGE = 20;
export const deletionsInput = (projectId: string) => ({ projectId, limit: PAGE });
export const backupsInput = (projectId: string) => ({ projectId, limit: PAGE });

export const OF_A_USER = "of-a-user";

/** The address at which one sees, and deletes, what there is of a user. */
export const userHref = (projectId: string, userId: string) =>
  `/p/${encodeURIComponent(projectId)}/data?user=${encodeURIComponent(userId)}#${OF_A_USER}`;

/** The address of a deletion's receipt. */
export const receiptHref = (projectId: string, deletionId: string) =>
  `/p/${encodeURIComponent(projectId)}/data?deletion=${encodeURIComponent(deletionId)}`;
