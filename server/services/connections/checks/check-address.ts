import { unprocessable } from "@/server/platform/errors";
import { OutboundError, outbound } from "@/server/platform/outbound";
import { baseUrl } from "../schemas";

/**
 * Throws for an address that would never be called, with the reason. Makes no network calls: names are resolved when the
 * address is used.
 */
export function checkAddress(address: string): void {
  const problem = baseUrl.safeParse(address).error?.issues[0];
  if (problem) throw unprocessable("/baseUrl", problem.message);
  try {
    outbound().check(address);
  } catch (error) {
    if (error instanceof OutboundError) throw unprocessable("/baseUrl", error.message);
    throw error;
  }
}
