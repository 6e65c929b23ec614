import { type Masking, maskSpans } from "../masking";
import { decodeTraces } from "../otlp";

/** Bodies of requests for spans, as OTLP's JSON. */
export type MaskingTask = { bodies: readonly Uint8Array[]; masking: Masking };
/** A masked span as JSON texts. The attributes, most of its length, are apart. */
export type MaskedSpan = { attributes: string; rest: string };

/** Decodes and masks spans as storing them does. Returns those of each body. Throws `MalformedBody`. */
export const maskBodies = ({ bodies, masking }: MaskingTask): MaskedSpan[][] =>
  bodies.map((body) =>
    maskSpans(decodeTraces(body, "json"), masking).items.map(({ attributes, ...rest }) => ({
      attributes: JSON.stringify(attributes),
      rest: JSON.stringify(rest),
    })),
  );
