import { JsonView } from "@/app/_components/values/json-view";
import type { MessagePart } from "@/server/services/telemetry/schemas";
import { mediaOf } from "./media/media-of";
import { MediaView } from "./media/media-view";
import { MessageText } from "./message-text";
import classes from "./transcript.module.css";

type Props = { part: MessagePart; ranges: readonly (readonly [number, number])[]; mono: boolean };

/** One part of a message. Files that were sent with it are shown or downloaded; the page contacts no other host. */
export function MessagePartView({ part, ranges, mono }: Props) {
  if (part.type === "text") return part.text ? <MessageText text={part.text} ranges={ranges} mono={mono} /> : null;
  if (part.type === "reasoning") {
    return (
      <details className={classes.details}>
        <summary>Reasoning</summary>
        <MessageText text={part.text ?? ""} />
      </details>
    );
  }
  const media = mediaOf(part);
  if (media) return <MediaView media={media} part={part} />;
  return (
    <details className={classes.details} open={ranges.length > 0}>
      <summary>
        Part of type <span className="mono">{part.type}</span>
      </summary>
      {typeof part.text === "string" && Object.keys(part).length === 2 ? (
        <MessageText text={part.text} ranges={ranges} mono />
      ) : (
        <JsonView value={part} label={`part of type ${part.type}`} />
      )}
    </details>
  );
}
