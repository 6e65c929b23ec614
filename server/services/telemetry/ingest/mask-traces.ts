import type { Ctx } from "@/server/platform/context";
import { type Masked, maskSpans } from "../masking";
import type { Decoded, SpanRecord } from "../otlp/types";
import { maskingOf } from "./masking-setting";

/** Masks a decoded batch of spans as `storeTraces` does, for one that is written elsewhere before it is stored. */
export const maskTraces = async (ctx: Ctx, decoded: Decoded<SpanRecord>): Promise<Masked<SpanRecord>> =>
  maskSpans(decoded, await maskingOf(ctx));
