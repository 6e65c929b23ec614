import { z } from "zod";
import { fieldsOf } from "./fields";

/** 2026-11-22, when the earlier variant's fields were first accepted as deprecated ones. */
const SINCE = "@1795305600";

const isDeprecated = (schema: z.core.$ZodType) => z.globalRegistry.get(schema)?.deprecated === true;

/** Returns the `Deprecation` header (RFC 9745) of a response to a request that uses a field marked `deprecated`. */
export function deprecationOf(schema: z.ZodType, input: Record<string, unknown>): Record<string, string> {
  const used = Object.entries(fieldsOf(schema)).some(([name, field]) => name in input && isDeprecated(field));
  return used ? { deprecation: SINCE } : {};
}
