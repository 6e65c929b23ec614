/** Routes that the web server hands to their handler itself: Next would take longer than the rest of the request. */
export type DirectRoutes = {
  /** Returns whether the handler is theirs. */
  include: (method: string, pathname: string) => boolean;
  handle: (request: Request) => Promise<Response>;
};

// On globalThis, because the web server and Next's route handlers are different bundles of one process: the handler is Next's,
// with all that there must be one of, such as the cache of keys, the limiter and the connections to others.
const shared = globalThis as { whetstoneDirectRoutes?: DirectRoutes };

/** Publishes the routes to the web server. Called when Next loads their module, and by tests. */
export function publishDirectRoutes(routes: DirectRoutes): void {
  shared.whetstoneDirectRoutes = routes;
}

/** Returns the routes; `undefined` until Next has loaded their module. */
export const directRoutes = (): DirectRoutes | undefined => shared.whetstoneDirectRoutes;
