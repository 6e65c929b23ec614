import { ServiceError } from "@/server/platform/errors";
import { bodyChunks, withBody } from "@/server/platform/http/read-body";
import type { Consumes, IncomingBody } from "@/server/platform/stream-verb";
import { decompressed, decompressing, type Encoding } from "./decompress";

const ALIASES: Record<string, Encoding> = { "": "identity", identity: "identity", gzip: "gzip", "x-gzip": "gzip" };

const either = (names: readonly string[]) => new Intl.ListFormat("en", { type: "disjunction" }).format(names);

function mediaTypeOf({ headers }: Request, { types, aliases = {} }: Consumes) {
  const given = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  const mediaType = Object.hasOwn(aliases, given) ? (aliases[given] as string) : given;
  if (!Object.hasOwn(types, mediaType)) {
    throw new ServiceError("unsupported_media_type", `Send ${either(Object.keys(types))}.`);
  }
  return mediaType;
}

function encodingOf({ headers }: Request, { encodings = [] }: Consumes): Encoding {
  const name = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  const encoding = Object.hasOwn(ALIASES, name) ? ALIASES[name] : (name as Encoding);
  if (encoding !== undefined && (encoding === "identity" || encodings.includes(encoding))) return encoding;
  const ways = ["plain", ...encodings.map((one) => `with ${one}`)];
  throw new ServiceError("unsupported_media_type", `Send the body ${either(ways)}.`);
}

/**
 * Returns a request's body for an operation. A wrong media type throws immediately, too many bytes as they arrive. `counted` is
 * called with the decompressed size once the body has been read, and may throw.
 */
export function incomingBody(
  request: Request,
  consumes: Consumes,
  signal: AbortSignal,
  counted: (bytes: number) => Promise<void>,
): IncomingBody {
  const { maxBytes } = consumes;
  const mediaType = mediaTypeOf(request, consumes);
  const encoding = encodingOf(request, consumes);
  return {
    mediaType,
    whole: (work) =>
      withBody(request, maxBytes, signal, async (body) => {
        const whole = await decompressed(body, encoding, maxBytes);
        await counted(whole.length);
        return work(whole);
      }),
    async *chunks() {
      let length = 0;
      for await (const chunk of decompressing(bodyChunks(request, maxBytes, signal), encoding, maxBytes)) {
        length += chunk.length;
        yield chunk;
      }
      await counted(length);
    },
  };
}
