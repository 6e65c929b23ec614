import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Classes of addresses that the policy distinguishes. */
export type AddressClass = "public" | "loopback" | "private" | "link-local" | "metadata" | "reserved";

/** Cloud metadata services, which serve a machine's credentials. Not all are private addresses: Azure's is public. */
const METADATA = new Set(
  [
    "169.254.169.254",
    "169.254.170.2",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "fd00:ec2::254",
    "fd20:ce::254",
  ].map((address) => ipaddr.parse(address).toNormalizedString()),
);

const CLASSES: Partial<Record<string, AddressClass>> = {
  loopback: "loopback",
  private: "private",
  uniqueLocal: "private",
  carrierGradeNat: "private",
  linkLocal: "link-local",
};

/** Publicly routed space. The library also reports unassigned and IPv4-compatible addresses as "unicast". */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Returns the class of an address. IPv4 embedded in IPv6 (mapped, NAT64, 6to4, Teredo) is always reserved: the IPv4 address
 * must be written as such.
 */
export function classOf(address: string): AddressClass {
  if (isIP(address) === 0) return "reserved";
  const parsed = ipaddr.parse(address);
  if (METADATA.has(parsed.toNormalizedString())) return "metadata";
  const range = parsed.range();
  if (range !== "unicast") return CLASSES[range] ?? "reserved";
  return parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST) ? "reserved" : "public";
}

/** Returns whether two spellings are the same address; IPv4-mapped ones equal their IPv4 address. */
export const isSameAddress = (one: string, other: string) =>
  isIP(one) !== 0 &&
  isIP(other) !== 0 &&
  ipaddr.process(one).toNormalizedString() === ipaddr.process(other).toNormalizedString();

/** Returns the IPv4 address of an IPv4-mapped one, and any other unchanged. */
export const unmapped = (address: string) => (isIP(address) === 0 ? address : ipaddr.process(address).toString());

/** Returns whether the address is in the network; false across families. */
export function isWithin(address: string, [network, bits]: Network): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  return parsed.kind() === network.kind() && parsed.match(network, bits);
}

export type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** Parses a network such as 10.0.0.0/8 or a single address; `undefined` for any other text. */
export function networkOf(text: string): Network | undefined {
  const [address = "", bits, ...more] = text.split("/");
  const family = isIP(address);
  if (family === 0 || address.includes("%") || more.length > 0) return undefined;
  const most = family === 4 ? 32 : 128;
  if (bits === undefined) return [ipaddr.parse(address), most];
  return /^\d{1,3}$/.test(bits) && Number(bits) <= most ? [ipaddr.parse(address), Number(bits)] : undefined;
}

export const isSingle = ([network, bits]: Network) => bits === (network.kind() === "ipv4" ? 32 : 128);
