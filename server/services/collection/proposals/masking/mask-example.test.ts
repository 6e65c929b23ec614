import { expect, test } from "vitest";
import { maskExample } from "..";

const exampleOf = (question: string, answer: string, args = "{}") => ({
  input: {
    type: "chat" as const,
    messages: [
      { role: "user" as const, content: question },
      {
        role: "assistant" as const,
        content: null,
        tool_calls: [{ id: "c1", type: "function" as const, function: { name: "look_up", arguments: args } }],
      },
      { role: "tool" as const, content: "ok", tool_call_id: "c1" },
    ],
  },
  expectedOutput: { type: "chat_message" as const, message: { role: "assistant" as const, content: answer } },
});

test("equal values get one placeholder, and different values different ones", () => {
  const example = exampleOf(
    "I am ann@mail.se, my colleague is bo@mail.se",
    "I wrote to bo@mail.se and to ann@mail.se",
    '{"email":"ann@mail.se"}',
  );
  const { payload, masked } = maskExample(example, "mask")!;
  expect(payload.input.messages[0]!.content).toBe("I am <EMAIL_1>, my colleague is <EMAIL_2>");
  expect(payload.expectedOutput.message.content).toBe("I wrote to <EMAIL_2> and to <EMAIL_1>");
  expect(payload.input.messages[1]).toMatchObject({
    tool_calls: [{ function: { arguments: '{"email":"<EMAIL_1>"}' } }],
  });
  expect(masked).toBe(5);
});

test("secrets are masked by their shape and by the name before them", () => {
  const key = `sk-ant-api03-${"aB3dE5gH".repeat(6)}`;
  const { payload } = maskExample(exampleOf(`Use ${key} and password=hunter2secret`, `I used ${key}.`), "mask")!;
  expect(payload.input.messages[0]!.content).toBe("Use <SECRET_1> and password=<SECRET_2>");
  expect(payload.expectedOutput.message.content).toBe("I used <SECRET_1>.");
});

test("arguments remain valid JSON", () => {
  const { payload } = maskExample(exampleOf("Pay", "Paid.", '{"card":4111111111111111,"amount":3}'), "mask")!;
  const [call] = (payload.input.messages[1] as { tool_calls: { function: { arguments: string } }[] }).tool_calls;
  expect(JSON.parse(call!.function.arguments)).toEqual({ card: "<CARD_NUMBER_1>", amount: 3 });
});

test("an Example without personal data is unchanged, and one with personal data is held back on request", () => {
  const plain = exampleOf("Where is my parcel?", "It arrives tomorrow.");
  expect(maskExample(plain, "hold_back")).toEqual({ payload: plain, masked: 0 });
  expect(maskExample(exampleOf("I am ann@mail.se", "Hello"), "hold_back")).toBeNull();
});
