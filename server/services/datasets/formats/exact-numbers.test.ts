import { expect, test } from "vitest";
import { EXPORT_FORMATS } from "./schemas";
import { examplesOf, writeAll } from "./testing";

const ARGUMENTS = '{"id":9007199254740993,"x":1.10,"big":1e400}';
const call = (args: string) => `{"id":"c","type":"function","function":{"name":"f","arguments":${args}}}`;
const chat = (args: string) =>
  `[{"role":"user","content":"n"},{"role":"assistant","content":null,"tool_calls":[${call(args)}]}]`;
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

test.each([
  ["JSONL, as an object", `{"messages":${chat(ARGUMENTS)}}\n`],
  ["JSONL, as text", `{"messages":${chat(JSON.stringify(ARGUMENTS))}}\n`],
  ["a JSON array", `[{"messages":${chat(ARGUMENTS)}}]`],
  ["a CSV's cell", `messages\r\n${quoted(chat(ARGUMENTS))}\r\n`],
  [
    "ShareGPT's calls",
    `{"conversations":[{"from":"human","value":"n"},{"from":"function_call","value":${JSON.stringify(`{"name":"f","arguments":${ARGUMENTS}}`)}}]}\n`,
  ],
])("the arguments of %s keep the digits of their numbers", async (_, file) => {
  const [example] = await examplesOf(file);
  expect(example?.payload.expectedOutput.message.tool_calls).toMatchObject([{ function: { arguments: ARGUMENTS } }]);
});

const REJECTED = `{"role":"assistant","content":null,"tool_calls":[${call(ARGUMENTS)}]}`;

test.each(EXPORT_FORMATS)("an export as %s writes the arguments of calls as they were sent", async (format) => {
  const row = `{"input":{"messages":[{"role":"user","content":"n"}]},"preferred_output":[${REJECTED}],"non_preferred_output":[{"role":"assistant","content":"no"}]}`;
  const written = (await writeAll(await examplesOf(`${row}\n`), format)).toString("latin1");
  const texts = [ARGUMENTS, JSON.stringify(ARGUMENTS), JSON.stringify(JSON.stringify(ARGUMENTS))];
  const forms = texts.flatMap((text) => [text, text.slice(1, -1), text.replaceAll('"', '""')]);
  expect(forms.some((form) => written.includes(form))).toBe(true);
  expect(written).not.toContain("9007199254740992");
});

test("numbers elsewhere in a row are JavaScript's", async () => {
  const tool =
    '{"type":"function","function":{"name":"f","parameters":{"type":"object","x-limit":1.50,"maximum":1e3}}}';
  const [example] = await examplesOf(`{"messages":${chat('"{}"')},"tools":[${tool}]}\n`);
  expect(example?.payload.input.tools).toEqual([
    { type: "function", function: { name: "f", parameters: { type: "object", "x-limit": 1.5, maximum: 1000 } } },
  ]);
});
