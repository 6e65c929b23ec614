import { formatMinute, plural } from "@/app/_lib/format";
import { speakerOf } from "@/app/_lib/speaker";
import { type Html, html } from "@/server/platform/text/html";
import type { SharedBlock, SharedMessage, SharedPart } from "@/server/services/sharing/schemas";
import { costFacts, factList, textBlock } from "./text";

type Conversation = Extract<SharedPart, { kind: "conversation" }>;

/** The facts and messages of a shared conversation. */
export function conversationBody({ startedAt, models, messageCount, messages, cost }: Conversation): Html {
  const missing = messageCount - messages.length;
  return html`${factList([
    ["Started", formatMinute(startedAt, "UTC")],
    ["Messages", plural(messageCount, "message")],
    ...(models.length > 0 ? [[models.length === 1 ? "Model" : "Models", models.join(", ")] as const] : []),
    ...costFacts(cost),
  ])}
<h2>Messages</h2>
<ol>${messages.map(messageItem)}</ol>
${missing > 0 ? html`<p class="note">The copy ends here: ${plural(missing, "more message")} of the conversation did not fit.</p>` : null}`;
}

function messageItem(message: SharedMessage): Html {
  const { role, agent, blocks } = message;
  const kind = agent === null ? role : "agent";
  return html`<li class="${kind === "user" || kind === "assistant" ? kind : "other"}">
<h3>${speakerOf(message)}${agent === null ? null : html` <small>sub-agent</small>`}</h3>
${blocks.length === 0 ? html`<p class="hidden">Empty message</p>` : blocks.map(blockOf)}
</li>`;
}

function blockOf(block: SharedBlock): Html {
  switch (block.kind) {
    case "text":
      return textBlock(block.text);
    case "reasoning":
      return html`<details><summary>Reasoning</summary>${textBlock(block.text)}</details>`;
    case "call":
      return html`<h4>Calls <code>${block.name || "unnamed tool"}</code>${block.error === null ? null : html` <b>Failed</b>`}</h4>
${textBlock(block.arguments, true)}${block.error === null ? null : textBlock(block.error)}`;
    case "result":
      return html`<h4>Result of <code>${block.name ?? "an unnamed call"}</code></h4>${textBlock(block.text, true)}`;
    case "omitted":
      return html`<p class="hidden">Left out of the copy: a part of type <code>${block.type}</code></p>`;
  }
}
