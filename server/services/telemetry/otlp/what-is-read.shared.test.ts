import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { CONVENTIONS } from "./conventions";
import { decodeTraces } from "./decode/decode-traces";
import { isShownOnly, isTaken } from "./read-span";

/* Captured from other projects' clients; they run only where the folder exists. */
const DATA = path.resolve(import.meta.dirname, "../../../../../shared/data");

const PAYLOADS = ["otlp", "otlp-python"].flatMap((folder) =>
  fs
    .readdirSync(path.join(DATA, folder))
    .filter((file) => /\.(json|pb)$/.test(file) && !/manifest|logs/.test(file))
    .map((file) => path.join(DATA, folder, file)),
);

const UNREAD = CONVENTIONS.flatMap(({ unread }) => Object.keys(unread));
const [names, prefixes] = [
  new Set(UNREAD.filter((name) => !name.endsWith("*"))),
  UNREAD.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1)),
];
const isUnread = (name: string) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));

/** What the captured applications set themselves. */
const OF_THE_APPLICATION = /^(?:custom\.|n$)/;

test("no captured span has an attribute that is neither read, nor shown, nor named as unread", () => {
  const strays = new Set<string>();
  for (const file of PAYLOADS) {
    const { items } = decodeTraces(fs.readFileSync(file), file.endsWith(".pb") ? "protobuf" : "json");
    for (const name of items.flatMap(({ attributes }) => Object.keys(attributes))) {
      const isKnown = isTaken(name) || isShownOnly(name) || isUnread(name) || OF_THE_APPLICATION.test(name);
      if (!isKnown) strays.add(`${name} (${path.basename(file)})`);
    }
  }
  expect([...strays].sort()).toEqual([]);
});
