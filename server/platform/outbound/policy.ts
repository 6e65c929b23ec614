import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { type AddressClass, classOf, isSameAddress, unmapped } from "./address-class";
import type { AllowList } from "./allow-list";
import { OutboundError } from "./outbound-error";

/** A request's target: the host as URLs spell it, IPv6 without brackets. */
export type Target = { host: string; port: number; secure: boolean };
export type Resolved = { address: string; family: number };
export type Resolve = (host: string) => Promise<readonly Resolved[]>;
/** The endpoint of our own database, from its URL. */
export type DatabaseEndpoint = { host: string; port: number };

const OWN_DATABASE = "The database of this installation can't be called.";
const LOCALHOST = /^(.*\.)?localhost$/;

const KINDS: Record<Exclude<AddressClass, "public">, string> = {
  loopback: "an address of this machine",
  private: "a private address",
  "link-local": "a link-local address",
  metadata: "a cloud metadata address, which hands out the machine's credentials",
  reserved: "a reserved address",
};
/** Address classes that listing a host name allows. Others must be listed by address, because nobody means them by a name. */
const ALLOWED_BY_NAME: ReadonlySet<AddressClass> = new Set(["public", "loopback", "private"]);

const refused = (message: string) => new OutboundError("refused", message);
const advice = (entry: string) =>
  `If the service at this address is yours, the operator can allow it with OUTBOUND_ALLOW=${entry}`;
const entryFor = (host: string) => (isIP(host) === 0 ? host : `${host}/${isIP(host) === 6 ? 128 : 32}`);

/** Returns the target of a URL. */
export function targetOf(url: URL): Target {
  const secure = url.protocol === "https:";
  return { host: url.hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(url.port) || (secure ? 443 : 80), secure };
}

/** Parses an address that a person entered. */
function parsed(text: string): URL {
  if (!URL.canParse(text)) throw new OutboundError("invalid", "This is not an address such as https://example.com.");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new OutboundError("invalid", "Only addresses that begin with https:// can be called.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new OutboundError(
      "invalid",
      "The address contains a user or a password. Enter credentials in their own field.",
    );
  }
  if (url.hostname.endsWith(".")) throw new OutboundError("invalid", "Write the host without the trailing dot.");
  return url;
}

type Options = {
  allow: AllowList;
  databases: readonly DatabaseEndpoint[];
  resolve: Resolve;
};

export type Policy = ReturnType<typeof createPolicy>;

/** Decides which addresses are called: public ones over TLS, what the operator allows, never our own database. */
export function createPolicy({ allow, databases, resolve }: Options) {
  function requireAllowed(target: Target, address: string) {
    const { host, port, secure } = target;
    const kind = classOf(address);
    const byAddress = kind === "metadata" ? allow.coversExactly(address, port) : allow.covers(address, port);
    const byName = ALLOWED_BY_NAME.has(kind) && allow.names(host, port);
    if (byAddress || byName) return;
    const isLiteral = isIP(host) !== 0;
    if (kind !== "public") {
      const what = isLiteral ? `${host} is ${KINDS[kind]}.` : `${host} resolves to ${KINDS[kind]}.`;
      throw refused(isLiteral || ALLOWED_BY_NAME.has(kind) ? `${what} ${advice(entryFor(host))}.` : what);
    }
    if (!secure) throw refused(plaintextRefusal(host));
  }

  const plaintextRefusal = (host: string) =>
    `http:// sends data unencrypted, so https:// is needed. ${advice(entryFor(host))}.`;

  const isThisMachine = (address: string) => {
    const kind = classOf(address);
    const ownAddresses = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map((one) => one.address));
    // A server on all interfaces is reachable through each of them; the kernel routes 0.0.0.0 and :: to this machine.
    return kind === "loopback" || ["0.0.0.0", "::"].includes(address) || ownAddresses.includes(address);
  };

  const isNamedAsDatabase = ({ host, port }: Target) =>
    databases.some((database) => database.host === host && database.port === port);

  async function isDatabase(target: Target, addresses: readonly string[]): Promise<boolean> {
    if (isNamedAsDatabase(target)) return true;
    const plain = addresses.map(unmapped);
    for (const database of databases.filter(({ port }) => port === target.port)) {
      // The name may resolve a moment later, so fail closed: the port alone decides.
      const found = await resolveHost(database.host).catch(() => undefined);
      if (found === undefined) return true;
      const theirs = found.map(({ address }) => unmapped(address));
      if (plain.some((one) => theirs.some((other) => isSameAddress(one, other)))) return true;
      if (plain.some(isThisMachine) && theirs.some(isThisMachine)) return true;
    }
    return false;
  }

  const resolveHost = async (host: string): Promise<readonly Resolved[]> =>
    isIP(host) === 0 ? resolve(host) : [{ address: host, family: isIP(host) }];

  return {
    /** Returns the parsed address, or throws the reason for refusing it, as far as it is known without a lookup. */
    check(text: string): URL {
      const url = parsed(text);
      const target = targetOf(url);
      const { host, port, secure } = target;
      if (isNamedAsDatabase(target)) throw refused(OWN_DATABASE);
      if (isIP(host) !== 0) requireAllowed(target, host);
      else if (!allow.names(host, port)) {
        if (LOCALHOST.test(host)) throw refused(`${host} is this machine. ${advice(host)}.`);
        // The name may resolve into an allowed network, which only the lookup shows.
        if (!secure && !allow.hasNetworks) throw refused(plaintextRefusal(host));
      }
      return url;
    },

    /** Returns the host's addresses, each of them checked. Connect to no others. */
    async addressesOf(target: Target): Promise<readonly Resolved[]> {
      const found = await resolveHost(target.host);
      if (found.length === 0) throw Object.assign(new Error("No address."), { code: "ENOTFOUND" });
      const addresses = found.map(({ address }) => address);
      if (await isDatabase(target, addresses)) throw refused(OWN_DATABASE);
      for (const address of addresses) requireAllowed(target, address);
      return addresses.map((address) => ({ address, family: isIP(address) }));
    },
  };
}
