import type { LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { type Policy, type Resolved, targetOf } from "./policy";

/** Hands out what was checked, whatever the name leads to by the time that the socket asks. */
const pinnedTo =
  (addresses: readonly Resolved[]): LookupFunction =>
  (_host, { all }, done) => {
    const [first] = addresses as [Resolved];
    if (all) done(null, [...addresses]);
    else done(null, first.address, first.family);
  };

type Options = { connectMs: number; ca: string | undefined };

/**
 * Opens connections to checked addresses only: the host is looked up once, each of its addresses is checked, and the socket
 * connects to one of these. TLS asks for a certificate of the host as ever.
 */
export function connectorFor(policy: Policy, { connectMs, ca }: Options): buildConnector.connector {
  return (options, callback) => {
    const { protocol, hostname, port } = options;
    const host = hostname.includes(":") ? `[${hostname}]` : hostname;
    policy.addressesOf(targetOf(new URL(`${protocol}//${host}:${port}`))).then(
      (addresses) => {
        const tls = ca === undefined ? {} : { ca };
        const lookup = pinnedTo(addresses);
        buildConnector({ ...tls, lookup, timeout: connectMs, maxCachedSessions: 0 })(options, callback);
      },
      (error: Error) => callback(error, null),
    );
  };
}
