/** Strings by id for another thread, which needs only the new ones of hundreds: each stays bytes until it is requested. */
export type PackedTexts = { ids: readonly string[]; ends: Uint32Array; utf8: Uint8Array };

/** A UTF-16 code unit takes at most three bytes. */
const BYTES_PER_UNIT = 3;

export function packTexts(texts: ReadonlyMap<string, string>): PackedTexts {
  let units = 0;
  for (const text of texts.values()) units += text.length;
  const utf8 = new Uint8Array(units * BYTES_PER_UNIT);
  const encoder = new TextEncoder();
  const ends = new Uint32Array(texts.size);
  let at = 0;
  let end = 0;
  for (const text of texts.values()) {
    end += encoder.encodeInto(text, utf8.subarray(end)).written;
    ends[at++] = end;
  }
  return { ids: [...texts.keys()], ends, utf8: utf8.slice(0, end) };
}

export function unpackTexts({ ids, ends, utf8 }: PackedTexts): Pick<ReadonlyMap<string, string>, "get" | "has"> {
  const places = new Map(ids.map((id, place) => [id, place]));
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return {
    has: (id) => places.has(id),
    get(id) {
      const place = places.get(id);
      if (place === undefined) return undefined;
      return decoder.decode(utf8.subarray(place === 0 ? 0 : ends[place - 1], ends[place]));
    },
  };
}
