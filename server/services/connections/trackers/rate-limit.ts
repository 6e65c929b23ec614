import { MINUTE_MS } from "@/server/platform/durations";
import { retryAfterSeconds } from "@/server/platform/outbound";

export type ReplyHeaders = Readonly<Record<string, string | number | undefined>>;

const utc = (time: number) => `${new Date(time).toISOString().slice(0, 19).replace("T", " ")} UTC`;

/** Returns the message that a service's rate limit is reached, and until when (Unix ms). */
export const rateLimitWords = (service: string, until: number) =>
  `The rate limit of ${service} has been reached. Calls will be accepted again at ${utc(until)}.`;

/** Returns when the rate limit that refused a call ends, Unix ms; `undefined` if the call was refused for another reason. */
export function limitedUntil(
  { status, headers, words }: { status: number; headers: ReplyHeaders; words: string },
  /** Names of the headers for the number of calls left and for the end of the limit, in Unix seconds. */
  { remaining, reset }: { remaining: string; reset: string },
): number | undefined {
  const isLimit =
    status === 429 ||
    (status === 403 &&
      (headers["retry-after"] !== undefined ||
        `${headers[remaining]}` === "0" ||
        /rate limit|abuse detection/i.test(words)));
  if (!isLimit) return undefined;
  const seconds = retryAfterSeconds(headers["retry-after"]?.toString());
  if (seconds !== undefined) return Date.now() + seconds * 1000;
  const end = `${headers[remaining]}` === "0" ? Number(headers[reset]) * 1000 : Number.NaN;
  return Number.isFinite(end) ? end : Date.now() + MINUTE_MS; // what GitHub recommends if a reply names no time
}
