import { isIP } from "node:net";
import { isSingle, isWithin, type Network, networkOf } from "./address-class";

const WITH_PORT = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/;
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/;

type Entry = { host: string; port: number | undefined } | { network: Network; port: number | undefined };

/** What the operator opens to connections beside public addresses over TLS. */
export type AllowList = {
  /** Whether a host is named, on this port or on all. */
  names(host: string, port: number): boolean;
  /** Whether the address lies in what is named, on this port or on all. */
  covers(address: string, port: number): boolean;
  /** The same of the address by itself, not of a network around it. */
  coversExactly(address: string, port: number): boolean;
  /** Whether any address is named: without one, only names can open anything. */
  hasNetworks: boolean;
};

/** Returns the host as URLs spell it; `undefined` for what is none, or is an IP address in disguise. */
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
  // A whole network on one port would read as an address with a port.
  if (network && (port === undefined || !name.includes("/")) && (port ?? 1) <= 65_535) return { network, port };
  const host = hostNameOf(name);
  if (host !== undefined && (port ?? 1) <= 65_535) return { host, port };
  throw new Error(
    `"${text}" is neither a host (ollama.lan, ollama.lan:11434), nor an address (127.0.0.1, [::1]:11434), nor a network (10.0.0.0/8)`,
  );
}

/** Reads OUTBOUND_ALLOW: hosts, addresses and networks with commas between them. */
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
