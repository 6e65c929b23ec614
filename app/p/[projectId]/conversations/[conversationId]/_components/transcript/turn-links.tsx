import { useClipboard } from "@mantine/hooks";
import { IconBraces, IconCheck, IconLink, IconTimeline } from "@tabler/icons-react";
import { SpanLink } from "../spans/span-link";
import classes from "./transcript.module.css";

type Props = {
  index: number;
  spanId: string | null;
  onSpan: ((spanId: string) => void) | undefined;
  raw: boolean;
  onRaw: () => void;
};

const ICON = { size: 14, "aria-hidden": true } as const;

/** Where a turn came from, its JSON, and a link to it. Plain elements, since a transcript has hundreds of them. */
export function TurnLinks({ index, spanId, onSpan, raw, onRaw }: Props) {
  const clipboard = useClipboard({ timeout: 2000 });
  const copied = clipboard.copied ? "Link copied" : `Copy link to message ${index}`;
  return (
    <div className={classes.links}>
      {spanId !== null && onSpan ? (
        <SpanLink spanId={spanId} onSpan={onSpan} aria-label={`Show the span of message ${index}`} title="Show span">
          <IconTimeline {...ICON} />
        </SpanLink>
      ) : null}
      <button
        type="button"
        aria-label={`Raw JSON of message ${index}`}
        aria-expanded={raw}
        title="Raw JSON"
        onClick={onRaw}
      >
        <IconBraces {...ICON} />
      </button>
      <button
        type="button"
        aria-label={copied}
        title={clipboard.copied ? "Link copied" : "Copy link"}
        onClick={() => clipboard.copy(addressOf(index))}
      >
        {clipboard.copied ? <IconCheck {...ICON} /> : <IconLink {...ICON} />}
      </button>
    </div>
  );
}

/** Returns the URL of a turn of the open conversation, without the state of the other tabs. */
function addressOf(index: number): string {
  const { origin, pathname } = window.location;
  return `${origin}${pathname}#m-${index}`;
}
