import type { MessagePart } from "@/server/services/telemetry/schemas";

/** A file in a part of a message: its bytes in base64, what is left of them, or an address that is never loaded. */
export type Media =
  | { kind: "inline"; base64: string; type: string | null; name: string | null }
  | { kind: "cut"; type: string | null; name: string | null }
  | { kind: "foreign"; url: string; type: string | null; name: string | null };

// The names under which OpenAI, Anthropic, Gemini, Bedrock, the AI SDK, LangChain and OpenTelemetry send them.
const BYTES = ["data", "bytes", "base64", "b64_json", "content", "file_data", "image", "audio", "video", "uint8Array"];
const ADDRESSES = ["url", "uri", "image_url", "imageUrl", "image", "file_url", "fileUri", "file_uri"];
const TYPES = ["media_type", "mediaType", "mime_type", "mimeType", "contentType", "content_type", "format"];
const NAMES = ["filename", "fileName", "file_name", "name", "title"];

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]*)*;base64,/i;
const FOREIGN = /^https?:\/\//i;
const BASE64 = /^[\w+/-]+={0,2}$/;
const CUT = /… \[cut here: \d+ more characters\]$/;
/** Shorter text is a word that happens to be base64. */
const BASE64_CHARACTERS_MIN = 32;
/** Checked of a long text: the rest fails when it is decoded. */
const CHECKED = 256;
const DEPTH_MAX = 4;

type Sent = Readonly<Record<string, unknown>>;
const isSent = (value: unknown): value is Sent => typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the file in a message's part, in any spelling of it that clients use; `null` if it has none. */
export function mediaOf(part: MessagePart): Media | null {
  const levels = levelsOf(part);
  const type = firstText(levels, TYPES);
  const name = firstText(levels, NAMES);
  for (const value of textsOf(levels)) {
    const [prefix, declared] = DATA_URL.exec(value) ?? [];
    if (prefix === undefined) continue;
    if (CUT.test(value)) return { kind: "cut", type: declared ?? type, name };
    return { kind: "inline", base64: value.slice(prefix.length), type: declared ?? type, name };
  }
  for (const value of textsOf(levels, BYTES)) {
    const isCut = CUT.test(value);
    const beginning = value
      .replace(CUT, "")
      .slice(0, CHECKED)
      .replace(/[\r\n]+/g, "");
    if (beginning.length < BASE64_CHARACTERS_MIN || !BASE64.test(beginning)) continue;
    if (type === null && part.type === "data") continue;
    return isCut ? { kind: "cut", type, name } : { kind: "inline", base64: value, type, name };
  }
  const url = textsOf(levels, ADDRESSES).find((value) => FOREIGN.test(value));
  return url === undefined ? null : { kind: "foreign", url, type, name };
}

/** Returns the part and the objects in it, the outer first. */
function levelsOf(part: Sent): Sent[] {
  const levels = [part];
  let inner: readonly Sent[] = levels;
  for (let depth = 0; depth < DEPTH_MAX && inner.length > 0; depth++) {
    inner = inner.flatMap((level) => Object.values(level).filter(isSent));
    levels.push(...inner);
  }
  return levels;
}

function textsOf(levels: readonly Sent[], names?: readonly string[]): string[] {
  return levels.flatMap((level) =>
    (names ?? Object.keys(level)).flatMap((name) => {
      const value = Object.hasOwn(level, name) ? level[name] : undefined;
      return typeof value === "string" ? [value] : [];
    }),
  );
}

const firstText = (levels: readonly Sent[], names: readonly string[]) => textsOf(levels, names)[0] ?? null;

/** What a file is by its first bytes. Only these are shown; whatever a client calls it, anything else is downloaded. */
const SHOWN = [
  { type: "image/png", extension: "png", word: "PNG image", starts: [0x89, 0x50, 0x4e, 0x47] },
  { type: "image/jpeg", extension: "jpg", word: "JPEG image", starts: [0xff, 0xd8, 0xff] },
  { type: "image/gif", extension: "gif", word: "GIF image", starts: [0x47, 0x49, 0x46, 0x38] },
  { type: "image/webp", extension: "webp", word: "WebP image", starts: riff("WEBP") },
  { type: "audio/wav", extension: "wav", word: "WAV audio", starts: riff("WAVE") },
  { type: "audio/mpeg", extension: "mp3", word: "MP3 audio", starts: [0x49, 0x44, 0x33] },
  { type: "audio/mpeg", extension: "mp3", word: "MP3 audio", starts: [0xff, 0xfb] },
  { type: "audio/mpeg", extension: "mp3", word: "MP3 audio", starts: [0xff, 0xf3] },
  { type: "audio/ogg", extension: "ogg", word: "Ogg audio", starts: [0x4f, 0x67, 0x67, 0x53] },
] as const satisfies readonly { type: string; extension: string; word: string; starts: readonly (number | null)[] }[];

export type ShownFormat = Omit<(typeof SHOWN)[number], "starts">;

/** `RIFF`, four bytes of length, and the kind. */
function riff(kind: string): (number | null)[] {
  const bytesOf = (text: string) => [...text].map((character) => character.charCodeAt(0));
  return [...bytesOf("RIFF"), null, null, null, null, ...bytesOf(kind)];
}

/** Returns the format that may be shown; `null` for any other. */
export const formatOf = (bytes: Uint8Array): ShownFormat | null =>
  SHOWN.find(({ starts }) => starts.every((byte, at) => byte === null || bytes[at] === byte)) ?? null;

/** Returns the bytes of base64, also in its spelling for URLs; `null` if it is none. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    const text = atob(base64.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(text, (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Larger files are not decoded to be shown, only to be downloaded. */
export const SHOWN_BYTES_MAX = 10 * 2 ** 20;

/** Returns roughly how many bytes base64 stands for, without decoding it. */
export const sizeOf = (base64: string) => Math.floor((base64.length * 3) / 4);
