import { checkMessage } from "./check-message";
import type { Fields, Problems } from "./problems";
import { CHAT_LIMITS, type ChatRole } from "./schemas";

const AT = "/input/messages";
const NO_USER = "Has no user message. Add at least one.";

/** Checks the messages of an input: each one by itself, and their order. */
export function checkMessages(value: unknown, toolNames: ReadonlySet<string> | undefined, problems: Problems) {
  const messages = problems.array(value, AT, CHAT_LIMITS.messages, NO_USER);
  if (!messages) return;
  const order = new MessageOrder(problems);
  for (const [index, message] of messages.entries()) {
    if (problems.full) return;
    const at = `${AT}/${index}`;
    const checked = checkMessage(message, at, toolNames, problems);
    if (checked) order.take(checked.role, checked.fields, at);
    else order.takeUnreadable();
  }
  order.end(`${AT}/${messages.length - 1}`);
}

/** Checks the order of messages, one after the other. */
class MessageOrder {
  readonly #problems: Problems;
  #started = false;
  #hasUser = false;
  /** A message that could not be read may be the missing one. */
  #unreadable = false;
  #last: ChatRole | undefined;
  #calls: CallResults | undefined;

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  take(role: ChatRole, fields: Fields, at: string) {
    this.#last = role;
    if (role === "tool") return this.#takeResult(fields, at);
    this.#calls?.end();
    this.#calls = role === "assistant" ? new CallResults(fields.tool_calls, at, this.#problems) : undefined;
    if (role !== "system" && role !== "developer") this.#started = true;
    else if (this.#started) {
      this.#problems.add(`${at}/role`, `Move this ${role} message before the first user or assistant message.`);
    }
    this.#hasUser ||= role === "user";
  }

  takeUnreadable() {
    this.#unreadable = true;
    this.#last = undefined;
    this.#calls = undefined;
  }

  end(at: string) {
    this.#calls?.end();
    if (!this.#hasUser && !this.#unreadable) this.#problems.add(AT, NO_USER);
    if (this.#last && this.#last !== "user" && this.#last !== "tool") {
      const hint = this.#last === "assistant" ? " Move the answer to expectedOutput." : "";
      this.#problems.add(at, `The last message must be a user's or a tool's.${hint}`);
    }
  }

  #takeResult(fields: Fields, at: string) {
    this.#started = true;
    const id = this.#problems.callId(fields.tool_call_id, `${at}/tool_call_id`);
    if (this.#calls) this.#calls.take(id, at);
    else if (!this.#unreadable) {
      this.#problems.add(at, "Has no call to answer. Put it directly after the assistant message with its tool call.");
    }
  }
}

/** Matches the results that follow an assistant message with its tool calls. */
class CallResults {
  readonly #at: string;
  readonly #problems: Problems;
  /** The position of each call without a result. */
  readonly #open = new Map<string, number>();
  readonly #answered = new Set<string>();
  /** Something here was unreadable and reported: it may be what seems to be missing. */
  #unreadable = false;

  constructor(calls: unknown, at: string, problems: Problems) {
    this.#at = at;
    this.#problems = problems;
    if (calls === undefined) return;
    if (!Array.isArray(calls) || calls.length > CHAT_LIMITS.callsPerMessage) this.#unreadable = true;
    else for (const [index, call] of calls.entries()) this.#expect(call, index);
  }

  #expect(call: { id?: unknown } | null | undefined, index: number) {
    const id = call?.id;
    if (typeof id !== "string") this.#unreadable = true;
    else if (!this.#open.has(id)) this.#open.set(id, index);
  }

  take(id: string | undefined, at: string) {
    if (id === undefined) this.#unreadable = true;
    else if (this.#open.delete(id)) this.#answered.add(id);
    else if (this.#answered.has(id)) {
      this.#problems.add(`${at}/tool_call_id`, "This call already has its result. Remove one of the two.");
    } else if (!this.#unreadable) {
      const message = "Matches no call in the preceding assistant message. Correct the id, or remove the message.";
      this.#problems.add(`${at}/tool_call_id`, message);
    }
  }

  end() {
    if (this.#unreadable) return;
    for (const index of this.#open.values()) {
      const message = "Has no result. Add a tool message with its id as tool_call_id directly after this message.";
      this.#problems.add(`${this.#at}/tool_calls/${index}`, message);
    }
  }
}
