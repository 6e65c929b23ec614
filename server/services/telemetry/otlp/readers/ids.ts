import { isPlaceholder } from "../identity/placeholder-ids";
import { objectIn, type Reader, textOf } from "./reader";

export type IdReader = Reader<string> & {
  /** Whether the attribute is an object that has more than the id. */
  inObject?: true;
  /** Whether other clients have something else under the attribute's name. */
  ambiguous?: true;
};

/** A scrubber's replacement for an id. */
const SCRUBBED = /^\[scrubbed\b/i;

/** Longer text is content under an id's name, and would exceed the size of an index entry. */
export const ID_CHARACTERS_MAX = 1000;
const ID_BYTES_MAX = 2000;
const isId = (text: string) =>
  text.length <= ID_CHARACTERS_MAX &&
  Buffer.byteLength(text) <= ID_BYTES_MAX &&
  !SCRUBBED.test(text) &&
  !isPlaceholder(text);

/** Reads what a client sent as an id, unless it cannot be one. */
export function onlyIds({ read, ...reader }: IdReader): IdReader {
  return {
    ...reader,
    read: (attributes) => {
      const found = read(attributes);
      return found !== undefined && isId(found) ? found : undefined;
    },
  };
}

/** Reads an id inside an attribute that holds a JSON object: that of the first of `keys` that has one. */
export function idInJson(name: string, ...keys: string[]): IdReader {
  return {
    takes: [name],
    inObject: true,
    read: (attributes) => {
      const object = objectIn(attributes[name]);
      return object && keys.map((key) => textOf(object[key])).find((found) => found !== undefined && isId(found));
    },
  };
}

/** Reads an id whose name other clients give to a number. */
export function unlessNumber({ takes, read }: Reader<string>): IdReader {
  return {
    takes,
    ambiguous: true,
    read: (attributes) => {
      const value = read(attributes);
      return value !== undefined && /\D/.test(value) ? value : undefined;
    },
  };
}
