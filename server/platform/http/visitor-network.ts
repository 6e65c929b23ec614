import { isIPv6 } from "node:net";

const GROUPS = 8;
const NETWORK_GROUPS = 4;
const groupsOf = (text: string | undefined) => (text ?? "").split(":").filter(Boolean);

/**
 * Returns the network that identifies a visitor: an IPv4 address itself, or the /64 of an IPv6 address, since a provider
 * assigns a whole /64 to one customer.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [before, after] = address.split("::");
  const [left, right] = [groupsOf(before), groupsOf(after)];
  const zeros = after === undefined ? 0 : GROUPS - left.length - right.length;
  return [...left, ...Array(zeros).fill("0"), ...right]
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
