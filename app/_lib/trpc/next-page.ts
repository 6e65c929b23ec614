/** How an infinite query finds its next page: every list of ours ends with a cursor or with `null`. */
export const nextPage = {
  getNextPageParam: (page: { pagination: { nextCursor: string | null } }) => page.pagination.nextCursor ?? undefined,
};
