import { unprocessable } from "@/server/platform/errors";
import { OutboundError, outbound } from "@/server/platform/outbound";
import { baseUrl } from "./schemas";

/** Refuses an address that would never be called, and says why. Asks no network: names are looked up when it is used. */
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
