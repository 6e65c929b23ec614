import { expect, test } from "vitest";
import { textOf } from "@/server/services/diagnostics/detectors/reading/text";
import { diagnoseSnapshot, generateLabelled, readLabelled, snapshotFromLabelled } from "./";

test("invalid lines are reported and the others are read", () => {
  const { conversations, errors } = readLabelled(
    [
      '\uFEFF{"id": 1, "messages": []}',
      "",
      "not json",
      '{"id": "b"}',
      '{"id": "c", "messages": [{"role": "user", "content": null}]}\r',
    ].join("\n"),
  );
  expect(conversations.map(({ id }) => id)).toEqual(["1", "c"]);
  expect(errors.map(({ line }) => line)).toEqual([3, 4]);
  expect(errors[1]!.message).toMatch(/^messages: /);
});

test("reads both forms of a tool call, and content in parts", () => {
  const snapshot = snapshotFromLabelled({
    id: "a",
    messages: [
      {
        role: "assistant",
        content: [{ type: "text", text: "One " }, { type: "image" }, { type: "text", text: "two" }],
        tool_calls: [
          { name: "f", arguments: { a: 1 } },
          { id: "7", arguments: undefined, function: { name: "g", arguments: "{}" } },
        ],
      },
    ],
  });
  expect(textOf(snapshot.messages[0]!)).toBe("One two");
  expect(snapshot.messages[0]!.toolCalls).toEqual([
    { id: null, name: "f", arguments: '{"a":1}' },
    { id: "7", name: "g", arguments: "{}" },
  ]);
});

test("detectors do not see labels", () => {
  const messages = [{ role: "tool", name: "f", content: "fine", tool_error: true }];
  expect(JSON.stringify(snapshotFromLabelled({ id: "a", messages }))).not.toContain("tool_error");
  expect(diagnoseSnapshot(snapshotFromLabelled({ id: "a", messages }))).toEqual([]);
});

test("the generated set is deterministic, and every Signal is found exactly where it was generated", () => {
  const set = generateLabelled(12);
  expect(generateLabelled(12)).toEqual(set);
  for (const conversation of set) {
    const [[signal, present]] = Object.entries(conversation.labels!.signals as Record<string, boolean>) as [
      [string, boolean],
    ];
    const found = diagnoseSnapshot(snapshotFromLabelled(conversation)).some(
      ({ name, verdict }) => name === signal && verdict === "match",
    );
    expect({ id: conversation.id, signal, found }).toEqual({ id: conversation.id, signal, found: present });
  }
});
