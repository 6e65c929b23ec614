/** How an infinite query finds its next page: every list ends with a cursor or `null`. */
export const nextPage = {
  getNextPageParam: (page: { pagination: { nextCursor: string | null } }) => page.pagination.nextCursor ?? undefined,
};

/** The same for lists whose response has its cursor at the top level, such as Datasets and Examples. */
export const nextCursorPage = {
  getNextPageParam: (page: { nextCursor: string | null }) => page.nextCursor ?? undefined,
};
