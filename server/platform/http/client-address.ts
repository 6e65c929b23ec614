// Where a request comes from: whom the socket names, or whom a trusted proxy says it asks for.
import { BlockList, isIP, SocketAddress } from "node:net";

const HOP_COUNT = /^\d{1,2}$/;
const SUBNET = /^([^/]+)\/(\d{1,3})$/;
/** As some proxies append it: with the port of the connection. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)$/;
/** How a socket that takes both families names an IPv4 address. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;

/** Whether the proxy at this address is trusted; `hop` counts proxies from us outwards, from 0. */
export type Trust = (address: string, hop: number) => boolean;

const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");

/** Returns the one spelling of an IP address, an IPv4 address as such however it is wrapped; `undefined` for anything else. */
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
    throw new Error(`"${entry}" is neither an address, nor a network such as 10.0.0.0/8, nor a number of proxies`);
  }
  if (bits === undefined) known.addAddress(address, familyOf(address));
  else known.addSubnet(address, Number(bits), familyOf(address));
}

/**
 * Reads TRUSTED_PROXIES: addresses and networks with commas between them, or how many proxies stand in front. Without it
 * nobody is trusted.
 */
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
 * Returns the address of the first hop, counted from us, that is no trusted proxy. Each proxy appends whom it was asked by,
 * so what stands further left is the visitor's own claim.
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | string[] | undefined,
  isTrusted: Trust,
): string {
  let address = normalizeAddress(peer ?? "");
  if (address === undefined) return "unknown";
  if (forwardedFor === undefined || !isTrusted(address, 0)) return address;
  const told = String(forwardedFor).split(",");
  for (let hop = 0; isTrusted(address, hop); hop++) {
    const before = normalizeAddress(told.pop() ?? "");
    if (before === undefined) break;
    address = before;
  }
  return address;
}
