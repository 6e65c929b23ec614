import { isIP } from "node:net";
import { isSingle, isWithin, type Network, networkOf } from "./address-class";

const WITH_PORT = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/;
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/;

type Entry = { host: string; port: number | undefined } | { network: Network; port: number | undefined };

/** What the operator allows besides public addresses over TLS. */
export type AllowList = {
  /** Whether the host is listed, for this port or all. */
  names(host: string, port: number): boolean;
  /** Whether the address or a network around it is listed, for this port or all. */
  covers(address: string, port: number): boolean;
  /** Whether the address itself is listed, not only a network around it. */
  coversExactly(address: string, port: number): boolean;
  /** Whether any address or network is listed. Without one, only host names can allow anything. */
  hasNetworks: boolean;
};

/** Returns the host as URLs spell it; `undefined` for other text and for IP addresses in disguise. */
function hostNameOf(text: string): string | undefined {
  const url = `http://${text}/`;
  if (/[^\p{L}\p{N}._-]/u.test(text) || !URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  return isIP(hostname) === 0 && HOST_NAME.test(hostname) ? hostname : undefined;
}

function entryOf(text: string): Entry {
  const [, beforePort, digits] = WITH_PORT.exec(text) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  const name = (beforePort ?? text).replace(/^\[(.*)\]$/, "$1");
  const network = networkOf(name);
  // A network with a port would be ambiguous with an address with a port.
  if (network && (port === undefined || !name.includes("/")) && (port ?? 1) <= 65_535) return { network, port };
  const host = hostNameOf(name);
  if (host !== undefined && (port ?? 1) <= 65_535) return { host, port };
  throw new Error(
    `"${text}" is not a host (ollama.lan, ollama.lan:11434), an address (127.0.0.1, [::1]:11434) or a network (10.0.0.0/8)`,
  );
}

/** Parses OUTBOUND_ALLOW: comma-separated hosts, addresses and networks. */
export function allowList(text: string | undefined): AllowList {
  const parts = (text ?? "").split(",").map((part) => part.trim());
  const entries = parts.filter(Boolean).map(entryOf);
  const at = (port: number) => (entry: Entry) => entry.port === undefined || entry.port === port;
  const networks = entries.filter((entry) => "network" in entry);
  const hosts = entries.filter((entry) => "host" in entry);
  return {
    names: (host, port) => hosts.filter(at(port)).some((entry) => entry.host === host),
    covers: (address, port) => networks.filter(at(port)).some(({ network }) => isWithin(address, network)),
    coversExactly: (address, port) =>
      networks.filter(at(port)).some(({ network }) => isSingle(network) && isWithin(address, network)),
    hasNetworks: networks.length > 0,
  };
}
