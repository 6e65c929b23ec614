import { unprocessable } from "@/server/platform/errors";
import { OutboundError, outbound } from "@/server/platform/outbound";

/** Refuses an address that would never be called, and says why. Asks no network: names are looked up when it is used. */
export function checkAddress(baseUrl: string): void {
  try {
    outbound().check(baseUrl);
  } catch (error) {
    if (error instanceof OutboundError) throw unprocessable("/baseUrl", error.message);
    throw error;
  }
}
