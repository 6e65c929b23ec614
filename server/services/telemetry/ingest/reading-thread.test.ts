import { expect, test } from "vitest";
import { unpackTexts } from "../content/packed-texts";
import { otlpJson } from "../testing";
import readInThread from "./reading-thread";

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, "0");

const message = (n: number) => ({ role: "user", parts: [{ type: "text", content: `${n} ${"words ".repeat(200)}` }] });

/** Reads a request whose history has so many messages; returns the ids of its parts and those with a text. */
function read(messages: number, projectId: string, withAllTexts = false) {
  const span = {
    traceId: hex(messages, 32),
    spanId: hex(messages, 16),
    attributes: { "gen_ai.input.messages": JSON.stringify(Array.from({ length: messages }, (_, n) => message(n))) },
  };
  const outcome = readInThread({
    signal: "traces",
    request: { body: Buffer.from(JSON.stringify(otlpJson([span]))), encoding: "json", nowMs: Date.now() },
    preparation: { projectId, masking: { messages: false }, whole: [] },
    withAllTexts,
  });
  if (!("read" in outcome)) throw new Error("The request was not read.", { cause: outcome });
  const { chunks, parts } = outcome.read.content;
  const ids = [...new Set([...chunks.values()].flat())];
  const texts = unpackTexts(parts);
  return { ids, withText: ids.filter((id) => texts.has(id)) };
}

test("of a history that grew by a message, only the new text is returned, or all of them on request", () => {
  const first = read(20, "prj_a");
  expect(first.ids.length).toBeGreaterThan(20);
  expect(first.withText).toEqual(first.ids);

  const grown = read(21, "prj_a");
  expect(grown.ids).toHaveLength(first.ids.length + 1);
  expect(grown.withText).toEqual(grown.ids.filter((id) => !first.ids.includes(id)));
  expect(grown.withText).toHaveLength(1);

  const all = read(21, "prj_a", true);
  expect(all.withText).toEqual(all.ids);
});

test("another project's texts are its own", () => {
  const { ids, withText } = read(20, "prj_b");
  expect(withText).toEqual(ids);
});
