import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** What an address is for, as far as it matters to who may call it. */
export type AddressClass = "public" | "loopback" | "private" | "link-local" | "metadata" | "reserved";

/** Where clouds serve a machine's own credentials. Not all of them are private: Azure's is a public one. */
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

/** All that is routed publicly. Beside it the library calls unassigned space and IPv4-compatible addresses "unicast". */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Returns what an address is for. IPv4 addresses inside IPv6 ones (mapped, NAT64, 6to4, Teredo) are reserved whatever they
 * lead to: the address behind is written as such, or not at all.
 */
export function classOf(address: string): AddressClass {
  if (isIP(address) === 0) return "reserved";
  const parsed = ipaddr.parse(address);
  if (METADATA.has(parsed.toNormalizedString())) return "metadata";
  const range = parsed.range();
  if (range !== "unicast") return CLASSES[range] ?? "reserved";
  return parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST) ? "reserved" : "public";
}

/** Returns whether two spellings are one address; an IPv4-mapped one is the IPv4 address that it leads to. */
export const isSameAddress = (one: string, other: string) =>
  isIP(one) !== 0 &&
  isIP(other) !== 0 &&
  ipaddr.process(one).toNormalizedString() === ipaddr.process(other).toNormalizedString();

/** Returns the IPv4 address of an IPv4-mapped one, and any other as it is. */
export const unmapped = (address: string) => (isIP(address) === 0 ? address : ipaddr.process(address).toString());

/** Returns whether the address lies in the network; those of another family do not. */
export function isWithin(address: string, [network, bits]: Network): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  return parsed.kind() === network.kind() && parsed.match(network, bits);
}

export type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** Returns a network such as 10.0.0.0/8, or that of a single address; `undefined` for any other text. */
export function networkOf(text: string): Network | undefined {
  const [address = "", bits, ...more] = text.split("/");
  const family = isIP(address);
  if (family === 0 || address.includes("%") || more.length > 0) return undefined;
  const most = family === 4 ? 32 : 128;
  if (bits === undefined) return [ipaddr.parse(address), most];
  return /^\d{1,3}$/.test(bits) && Number(bits) <= most ? [ipaddr.parse(address), Number(bits)] : undefined;
}

export const isSingle = ([network, bits]: Network) => bits === (network.kind() === "ipv4" ? 32 : 128);
