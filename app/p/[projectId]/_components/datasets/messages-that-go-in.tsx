import Link from "next/link";
import { plural } from "@/app/_lib/format";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import classes from "./adding.module.css";

type Made = RouterOutputs["examples"]["previewConversations"]["examples"][number];

const ROLES = { user: "User", assistant: "Assistant", tool: "Tool result", system: "System", developer: "Developer" };

/** Returns the user's last message before the answer that goes in. */
export const askedIn = ({ payload }: Pick<Made, "payload">): string | null =>
  payload?.input.messages.findLast(({ role }) => role === "user")?.content ?? null;

/** The messages of each conversation that go into its Example, or why there is none. */
export const MessagesThatGoIn = ({ projectId, examples }: { projectId: string; examples: readonly Made[] }) => (
  <section aria-label="Messages included">
    <h3 className={classes.title}>Messages included</h3>
    <ul className={classes.list}>
      {examples.map((one) => (
        <li key={one.conversationId} className={classes.item}>
          {one.payload === null ? (
            <span>
              <Link href={`/p/${projectId}/conversations/${encodeURIComponent(one.conversationId)}`} className="mono">
                {one.conversationId}
              </Link>{" "}
              <span className={classes.quiet}>can’t become an Example. {one.problem}</span>
            </span>
          ) : (
            <GoesIn payload={one.payload} />
          )}
        </li>
      ))}
    </ul>
  </section>
);

function GoesIn({ payload }: { payload: NonNullable<Made["payload"]> }) {
  const { messages } = payload.input;
  const { message } = payload.expectedOutput;
  return (
    <details>
      <summary className={classes.summary}>
        <span className={classes.clip}>{askedIn({ payload })}</span>
        <span className={classes.quiet}>{plural(messages.length + 1, "message")}</span>
      </summary>
      <dl className={classes.messages}>
        {messages.map((one, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages keep their order
          <div key={index}>
            <dt>{ROLES[one.role]}</dt>
            <dd dir="auto">{one.content || "Calls a tool"}</dd>
          </div>
        ))}
        <div>
          <dt>Answer to learn</dt>
          <dd dir="auto">{message.content || "Calls a tool"}</dd>
        </div>
      </dl>
    </details>
  );
}
