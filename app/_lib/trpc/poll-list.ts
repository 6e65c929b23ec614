type Pages<Page> = { state: { data?: { pages: readonly Page[] } | undefined } };
type Pace = { busyMs?: number; idleMs?: number };

/**
 * Returns a list's refetch interval: shorter while `isBusy` on its first page. A list of several pages is not refetched,
 * since rows must stay in place for a reader further down.
 */
export const pollList =
  <Page>(isBusy: (page: Page) => boolean = () => false, { busyMs = 2000, idleMs = 15_000 }: Pace = {}) =>
  ({ state }: Pages<Page>) => {
    const pages = state.data?.pages ?? [];
    if (pages.length > 1) return false;
    return pages.some(isBusy) ? busyMs : idleMs;
  };
