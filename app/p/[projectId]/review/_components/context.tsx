import { UnstyledButton } from "@mantine/core";
import { useState } from "react";
import { plural } from "@/app/_lib/format";
import type { ChatMessage } from "@/server/services/datasets/chat-payload/schemas";
import { Masked } from "./masked";
import classes from "./review.module.css";

/** The messages right before an answer matter most; earlier ones are shown on request. */
const SHOWN = 6;
const CHARACTERS = 1200;

const ROLES: Record<ChatMessage["role"], string> = {
  user: "User",
  assistant: "Assistant",
  tool: "Tool result",
  system: "System",
  developer: "Developer",
};

/** The conversation up to the answer in question. */
export function Context({ messages }: { messages: readonly ChatMessage[] }) {
  const [all, setAll] = useState(false);
  const hidden = all ? 0 : Math.max(0, messages.length - SHOWN);
  return (
    <section aria-label="Conversation before the answer">
      {hidden > 0 ? (
        <UnstyledButton className={classes.more} onClick={() => setAll(true)}>
          Show {plural(hidden, "earlier message")}
        </UnstyledButton>
      ) : null}
      <ol className={classes.messages}>
        {messages.slice(hidden).map((message, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages keep their order
          <li key={hidden + index} className={classes.message} data-role={message.role}>
            <span className={classes.role}>{ROLES[message.role]}</span>
            <MessageBody message={message} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function MessageBody({ message }: { message: ChatMessage }) {
  const [whole, setWhole] = useState(false);
  const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
  const content = message.content ?? "";
  const isLong = content.length > CHARACTERS * 1.2;
  return (
    <div className={classes.content}>
      {content === "" ? null : (
        <div className={message.role === "tool" ? classes.code : classes.text} dir="auto">
          <Masked text={isLong && !whole ? `${content.slice(0, CHARACTERS)}…` : content} />
        </div>
      )}
      {isLong ? (
        <UnstyledButton className={classes.more} aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? "Show less" : "Show all"}
        </UnstyledButton>
      ) : null}
      {calls.map((call) => (
        <div key={call.id} className={classes.code}>
          {call.function.name}(<Masked text={call.function.arguments} />)
        </div>
      ))}
    </div>
  );
}
