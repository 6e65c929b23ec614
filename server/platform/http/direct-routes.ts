/** Routes that the web server hands to their handler itself: Next would take longer than the rest of the request. */
export type DirectRoutes = {
  /** Returns whether the handler is theirs. */
  include: (method: string, pathname: string) => boolean;
  handle: (request: Request) => Promise<Response>;
};

// On globalThis, because the web server and Next's route handlers are different bundles of one process: the handler is Next's,
// with all that there must be one of, such as the cache of keys, the limiter and the connections to others.
const shared = globalThis as { whetstoneDirectRoutes?: Map<string, DirectRoutes> };
shared.whetstoneDirectRoutes ??= new Map();
const published = shared.whetstoneDirectRoutes;

/** Publishes the routes of an endpoint to the web server. Called when Next loads its module, and by tests. */
export function publishDirectRoutes(endpoint: string, routes: DirectRoutes): void {
  published.set(endpoint, routes);
}

/** Returns the routes that a request is for; `undefined` if it is for none, or Next has not loaded their module yet. */
export const directRoutesFor = (method: string, pathname: string): DirectRoutes | undefined =>
  [...published.values()].find(({ include }) => include(method, pathname));
