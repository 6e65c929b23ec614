import { IconTool } from "@tabler/icons-react";
import { formatDuration } from "@/app/_lib/format";
import { prettyText } from "@/app/_lib/pretty-text";
import type { MessageToolCall, ToolCall } from "@/server/services/telemetry/schemas";
import { MessageText } from "./message-text";
import classes from "./transcript.module.css";

type Props = { call: MessageToolCall; span: ToolCall | undefined; hasResultMessage: boolean };

/** A tool call where the assistant made it, with its result unless a later message contains that. */
export function ToolCallView({ call, span, hasResultMessage }: Props) {
  const result = hasResultMessage ? null : (span?.result ?? null);
  return (
    <div className={classes.tool}>
      <div className={classes.toolHead}>
        <IconTool size={14} aria-hidden />
        <strong className="mono">{call.name || "unnamed tool"}</strong>
        {span ? <span className={classes.meta}>{formatDuration(span.endedAt - span.startedAt)}</span> : null}
        {span?.error ? <span className={classes.failed}>Failed</span> : null}
      </div>
      {call.arguments.trim() === "" || call.arguments.trim() === "{}" ? (
        <div className={classes.meta}>No arguments</div>
      ) : (
        <MessageText mono text={prettyText(call.arguments)} limit={900} />
      )}
      {span?.error ? (
        <div className={classes.error}>
          {[span.error.type, span.error.message].filter(Boolean).join(": ") ||
            "The span reports a failure without details."}
        </div>
      ) : null}
      {result !== null ? (
        <>
          <div className={classes.label}>Result</div>
          <MessageText mono text={prettyText(result)} limit={900} />
        </>
      ) : null}
    </div>
  );
}
