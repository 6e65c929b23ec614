import { retryAfterSeconds } from "@/server/platform/outbound";

const MINUTE = 60_000;

export type ReplyHeaders = Readonly<Record<string, string | number | undefined>>;

const utc = (time: number) => `${new Date(time).toISOString().slice(0, 19).replace("T", " ")} UTC`;

/** Says that a service's rate limit is reached, and until when (Unix ms). */
export const rateLimitWords = (service: string, until: number) =>
  `The rate limit of ${service} is reached. Calls are accepted again at ${utc(until)}.`;

/** Returns until when a refused call is refused by a rate limit, Unix ms; `undefined` if it is refused for another reason. */
export function limitedUntil(
  { status, headers, words }: { status: number; headers: ReplyHeaders; words: string },
  /** Names of the headers with the calls that are left and with the end of the limit, in Unix seconds. */
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
  return Number.isFinite(end) ? end : Date.now() + MINUTE; // what GitHub asks for where a reply names no time
}
