import { expect, test } from "vitest";
import { isPlaceholder } from "./placeholder-ids";

test.each([
  ...["undefined", "null", "None", "NULL", "nil", "NaN", "", " ", "unknown", "N/A", "false"],
  ...["<nil>", "(null)", '"null"', "'None'", "[undefined]", "{}", "[]", '""'],
  ...[
    "[object Object]",
    "user-[object Promise]",
    "<object object at 0x7f31b0>",
    "<function session at 0x1f>",
    "%!s(<nil>)",
  ],
  ...["0", "00000000-0000-0000-0000-000000000000", "00000000000000000000000000000000"],
  ...["{{session_id}}", "chat-{{ user.id }}", `$\{sessionId}`, `chat_$\{id}`, "#{id}", "<%= id %>"],
  ...["{session_id}", "<session-id>", "$SESSION_ID", "%USER%", "%s", "%(id)s", ":session_id", "__SESSION__"],
])("%j is the trace of a missing id", (text) => expect(isPlaceholder(text)).toBe(true));

test.each([
  ...["u1", "7", "100", "0x00", "a0", "null-island", "nonexistent", "Nonette", "undefined-behaviour", "nil-17"],
  ...[
    "00000000-0000-0000-0000-000000000001",
    "{8f14e45f-ceea-467f-a9f2-2b1f0e0a4b6c}",
    "<abc@mail.example>",
    "a:b",
    "50%",
  ],
  ...["cost $5", "thread-anna", "ünïcode", "🧪", "default", "guest", "urn:uuid:8f14e45f-ceea-467f-a9f2-2b1f0e0a4b6c"],
])("%j is an id", (text) => expect(isPlaceholder(text)).toBe(false));
