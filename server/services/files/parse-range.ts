import { ServiceError } from "@/server/platform/errors";
import type { ByteRange } from "@/server/platform/files";

/**
 * Returns the byte range of a `Range` header (RFC 9110); `undefined` for the whole file, also if the header has several ranges
 * or another unit, which may be ignored. Throws `range_not_satisfiable`.
 */
export function parseRange(header: string | null | undefined, bytes: number): ByteRange | undefined {
  const [, first = "", last = ""] = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const start = first === "" ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === "" || last === "" ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (first !== "" && last !== "" && Number(last) < start) return undefined;
  if (start > end) {
    throw new ServiceError("range_not_satisfiable", `The file has ${bytes} bytes.`);
  }
  return { start, end };
}
