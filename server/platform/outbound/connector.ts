import type { LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { type Policy, type Resolved, targetOf } from "./policy";

/** Returns a lookup that yields only the checked addresses, against DNS rebinding. */
const pinnedTo =
  (addresses: readonly Resolved[]): LookupFunction =>
  (_host, { all }, done) => {
    const [first] = addresses as [Resolved];
    if (all) done(null, [...addresses]);
    else done(null, first.address, first.family);
  };

type Options = { connectMs: number; ca: string | undefined };

/**
 * Returns a connector that connects to checked addresses only: it resolves the host once, checks each address, and connects
 * to one of those. TLS still verifies the certificate against the host name.
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
