/** How an infinite query finds its next page: every list ends with a cursor or `null`. */
export const nextPage = {
  getNextPageParam: (page: { pagination: { nextCursor: string | null } }) => page.pagination.nextCursor ?? undefined,
};
