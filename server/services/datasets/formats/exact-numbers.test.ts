import { expect, test } from "vitest";
import { DATASET_FORMATS } from "./schemas";
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

test.each(DATASET_FORMATS)("an export as %s writes the arguments of calls as they were sent", async (format) => {
  const row = `{"input":{"messages":[{"role":"user","content":"n"}]},"preferred_output":[${REJECTED}],"non_preferred_output":[{"role":"assistant","content":"no"}]}`;
  const written = (await writeAll(await examplesOf(`${row}\n`), format)).toString("latin1");
  const texts = [ARGUMENTS, JSON.stringify(ARGUMENTS), JSON.stringify(JSON.stringify(ARGUMENTS))];
  const forms = texts.flatMap((text) => [text, text.slice(1, -1), text.replaceAll('"', '""')]);
  expect(forms.some((form) => written.includes(form))).toBe(true);
  expect(written).not.toContain("9007199254740992");
});

const TOOLS =
  '[{"type":"function","function":{"name":"f","parameters":{"type":"object","x-limit":1.50,"maximum":1e3,"a":{"z":1,"b":2.0}}}}]';

test.each([
  ["JSONL", `{"messages":${chat('"{}"')},"tools":${TOOLS}}\n`],
  ["JSONL, as text", `{"messages":${chat('"{}"')},"tools":${JSON.stringify(TOOLS)}}\n`],
  ["a CSV's cell", `messages,tools\r\n${quoted(chat('"{}"'))},${quoted(TOOLS)}\r\n`],
])("tools of %s keep the order of their keys and the digits of their numbers", async (_, file) => {
  const [example] = await examplesOf(file);
  expect(JSON.stringify(example?.payload.input.tools)).toBe(TOOLS);
});

test.each(["lossless", "csv", "openai_chat", "trl_sft"] as const)(
  "an export as %s writes tools as they were sent",
  async (format) => {
    const rows = await examplesOf(`{"messages":${chat('"{}"')},"tools":${TOOLS}}\n`);
    const written = (await writeAll(rows, format)).toString();
    expect([TOOLS, TOOLS.replaceAll('"', '""')].some((text) => written.includes(text))).toBe(true);
  },
);

test("numbers elsewhere in a row are JavaScript's", async () => {
  const [example] = await examplesOf(`{"messages":${chat('"{}"')},"weight":0.50}\n`);
  expect(example?.payload.expectedOutput.weight).toBe(0.5);
});
