// The client's address: the socket's peer, or the one that a trusted proxy forwards for.
import { BlockList, isIP, SocketAddress } from "node:net";

const HOP_COUNT = /^\d{1,2}$/;
const SUBNET = /^([^/]+)\/(\d{1,3})$/;
/** Some proxies append the port of the connection. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)$/;
/** IPv4-mapped IPv6, as dual-stack sockets report IPv4 peers. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;

/** Whether the proxy at this address is trusted; `hop` counts proxies from us outwards, from 0. */
export type Trust = (address: string, hop: number) => boolean;

const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");

/** Returns the canonical form of an IP address, with mapped IPv4 unwrapped; `undefined` for anything else. */
export function normalizeAddress(text: string): string | undefined {
  const trimmed = text.trim();
  const [, bracketed, beforePort] = WITH_PORT.exec(trimmed) ?? [];
  const address = (bracketed ?? beforePort ?? trimmed).replace(/%.*$/, "");
  if (isIP(address) !== 6) return isIP(address) === 4 ? address : undefined;
  const canonical = new SocketAddress({ address, family: "ipv6" }).address;
  return MAPPED.exec(canonical)?.[1] ?? canonical;
}

function add(known: BlockList, entry: string) {
  const [, network = entry, bits] = SUBNET.exec(entry) ?? [];
  const address = normalizeAddress(network);
  const most = address === undefined ? -1 : familyOf(address) === "ipv6" ? 128 : 32;
  if (address === undefined || Number(bits ?? 0) > most) {
    throw new Error(`"${entry}" is not an address, a network such as 10.0.0.0/8, or a number of proxies`);
  }
  if (bits === undefined) known.addAddress(address, familyOf(address));
  else known.addSubnet(address, Number(bits), familyOf(address));
}

/** Parses TRUSTED_PROXIES: comma-separated addresses and networks, or the number of proxies in front. Empty: none is trusted. */
export function trustedProxies(text: string | undefined): Trust {
  const entries = (text ?? "").split(",").map((entry) => entry.trim());
  const [only = ""] = entries;
  if (entries.length === 1 && only === "") return () => false;
  if (entries.length === 1 && HOP_COUNT.test(only)) return (_, hop) => hop < Number(only);
  const known = new BlockList();
  for (const entry of entries) add(known, entry);
  return (address) => known.check(address, familyOf(address));
}

/**
 * Returns the address of the first hop, counted from us, that is not a trusted proxy. Each proxy appends its peer, so entries
 * further left are the client's own claim.
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | string[] | undefined,
  isTrusted: Trust,
): string {
  let address = normalizeAddress(peer ?? "");
  if (address === undefined) return "unknown";
  if (forwardedFor === undefined || !isTrusted(address, 0)) return address;
  const forwarded = String(forwardedFor).split(",");
  for (let hop = 0; isTrusted(address, hop); hop++) {
    const before = normalizeAddress(forwarded.pop() ?? "");
    if (before === undefined) break;
    address = before;
  }
  return address;
}
