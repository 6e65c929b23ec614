// Replaces fields of a JSON object in its text: everything else keeps its bytes, and long requests are not written anew.

const [QUOTE, BACKSLASH, COMMA, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [...'"\\,{}[]'].map((one) => one.charCodeAt(0));
const COLON = ":".charCodeAt(0);
const SPACES: ReadonlySet<number> = new Set([..." \t\n\r"].map((one) => one.charCodeAt(0)));

type Field = { name: string; from: number; to: number };

export const afterSpace = (json: Buffer, at: number) => {
  let next = at;
  while (SPACES.has(json[next] ?? 0)) next++;
  return next;
};

/** Returns the position after the string that begins at `at`. */
function afterString(json: Buffer, at: number): number {
  for (let end = json.indexOf('"', at + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let escapes = 0;
    while (json[end - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
  return json.length;
}

/** Returns the position after the value that begins at `at`. */
export function afterValue(json: Buffer, at: number): number {
  let depth = 0;
  for (let next = at; next < json.length; ) {
    const byte = json[next] as number;
    if (byte === QUOTE) {
      next = afterString(json, next);
      if (depth === 0) return next;
      continue;
    }
    if (byte === OPEN || byte === OPEN_LIST) depth++;
    else if (byte === CLOSE || byte === CLOSE_LIST) {
      if (depth === 0) return next;
      depth--;
      if (depth === 0) return next + 1;
    } else if (depth === 0 && (byte === COMMA || SPACES.has(byte))) return next;
    next++;
  }
  return json.length;
}

/** Returns where the values of an object's fields are, in order: a name may be repeated. The text must be a valid object. */
export function fieldsIn(json: Buffer): Field[] {
  const fields: Field[] = [];
  let at = afterSpace(json, json.indexOf("{") + 1);
  while (at < json.length && json[at] !== CLOSE) {
    const end = afterString(json, at);
    const name = JSON.parse(json.toString("utf8", at, end)) as string;
    const colon = afterSpace(json, end);
    if (json[colon] !== COLON) break;
    const from = afterSpace(json, colon + 1);
    const to = afterValue(json, from);
    fields.push({ name, from, to });
    at = afterSpace(json, to);
    if (json[at] === COMMA) at = afterSpace(json, at + 1);
  }
  return fields;
}

const bytesOf = (value: string | Buffer) => (typeof value === "string" ? Buffer.from(value) : value);

/** Returns the text of a valid JSON object with these values, as JSON: in place of a field's value, or in front of the fields. */
export function spliceFields(json: Buffer, values: Readonly<Record<string, string | Buffer>>): Buffer {
  const fields = fieldsIn(json);
  const known = new Set(fields.map(({ name }) => name));
  const begin = json.indexOf("{") + 1;
  const added = Object.entries(values).filter(([name]) => !known.has(name));
  const inFront = added.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",");
  const parts = [json.subarray(0, begin), Buffer.from(inFront === "" || fields.length === 0 ? inFront : `${inFront},`)];
  let copied = begin;
  for (const { name, from, to } of fields) {
    if (!Object.hasOwn(values, name)) continue;
    parts.push(json.subarray(copied, from), bytesOf(values[name] ?? ""));
    copied = to;
  }
  return Buffer.concat([...parts, json.subarray(copied)]);
}
