import { createLoader, parseAsString } from "nuqs/server";

/** The page's state in the URL: the user id being looked up and the open receipt. */
export const viewParsers = { user: parseAsString, deletion: parseAsString };
export const loadView = createLoader(viewParsers);

const PAGE = 20;
export const deletionsInput = (projectId: string) => ({ projectId, limit: PAGE });
export const backupsInput = (projectId: string) => ({ projectId, limit: PAGE });

export const OF_A_USER = "of-a-user";

/** Returns the URL that shows a user's data and offers to delete it. */
export const userHref = (projectId: string, userId: string) =>
  `/p/${encodeURIComponent(projectId)}/data?user=${encodeURIComponent(userId)}#${OF_A_USER}`;

/** Returns the URL of a deletion's receipt. */
export const receiptHref = (projectId: string, deletionId: string) =>
  `/p/${encodeURIComponent(projectId)}/data?deletion=${encodeURIComponent(deletionId)}`;
