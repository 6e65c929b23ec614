import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useFollowFocus } from "@/app/_components/data-table/use-row-keys";
import { formatCompact, formatCount, formatDuration, formatUsd, formatUsdExact, plural } from "@/app/_lib/format";
import type { CallSum, PlacedSpan } from "./span-tree";
import classes from "./trace-tree.module.css";
import type { SpanData } from "./use-trace";

/** Height of a row in pixels: the name, and below it the first words. */
export const SPAN_ROW = 44;
/** Deeper spans get the maximum indentation. */
const DEPTH_SHOWN = 14;

type Props = {
  row: PlacedSpan<SpanData>;
  sum: CallSum | null;
  /** When it ended; of repeats that are shown as one, when the last did. */
  until: number;
  /** How many spans in a row it is the first of, which `folded` shows as one. */
  repeated: number;
  index: number;
  top: number;
  extent: { start: number; end: number };
  folded: boolean;
  /** It has what is searched for; `current` if it is the match last jumped to. */
  found: boolean;
  current: boolean;
  selected: boolean;
  isStop: boolean;
  /** Another span is open, so this one opens when it gets the focus. */
  follow: boolean;
  onActive: () => void;
  onFold: () => void;
  onSelect: () => void;
};

/** A span of the tree: its name and first words, its model, tokens and cost or those of the calls below it, and its time. */
export function SpanRow({ row, sum, until, repeated, index, top, extent, selected, onSelect, ...state }: Props) {
  const { span, depth, children } = row;
  const following = useFollowFocus();
  const handlers = following(state.follow ? onSelect : undefined);
  const took = until - span.startedAt;
  const isSeveral = repeated > 1 && state.folded;
  const folds = children > 0 || repeated > 1;
  const indent = { "--depth": Math.min(depth, DEPTH_SHOWN) } as React.CSSProperties;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys of its rows
    <div
      role="treeitem"
      className={classes.row}
      data-row={index}
      data-found={state.found || undefined}
      data-current={state.current || undefined}
      aria-level={depth + 1}
      aria-posinset={row.nth}
      aria-setsize={row.siblings}
      aria-selected={selected}
      {...(folds ? { "aria-expanded": !state.folded } : {})}
      tabIndex={state.isStop ? 0 : -1}
      style={{ blockSize: SPAN_ROW, transform: `translateY(${top}px)` }}
      onMouseDown={handlers.onMouseDown}
      onFocus={() => {
        state.onActive();
        handlers.onFocus();
      }}
      onClick={onSelect}
    >
      <span className={classes.name} style={indent}>
        {folds ? <Fold folded={state.folded} onFold={state.onFold} /> : <span className={classes.fold} />}
        <span
          className={classes.type}
          data-counted={span.counted || undefined}
          title={span.counted ? "counted as a model call" : undefined}
        >
          {span.type}
        </span>
        <span className="clip">{span.name}</span>
        {isSeveral ? <span className={classes.below}>× {formatCount(repeated)}</span> : null}
        {state.folded && !isSeveral ? <span className={classes.below}>{plural(row.below, "span")} folded</span> : null}
        {span.status === "error" ? <span className={classes.failed}>error</span> : null}
      </span>
      <span className={`${classes.words} clip`} style={indent} title={span.words ?? undefined}>
        {span.words}
      </span>
      <span className={`${classes.model} mono clip`} title={span.model ?? undefined}>
        {span.model}
      </span>
      {sum ? <Used sum={sum} own={span.counted} /> : null}
      <Lane span={span} until={until} extent={extent} />
      <span className={`${classes.took} tabular`}>{formatDuration(took)}</span>
    </div>
  );
}

/** For the mouse; the arrow keys do the same. */
const Fold = ({ folded, onFold }: { folded: boolean; onFold: () => void }) => (
  <button
    type="button"
    className={classes.fold}
    tabIndex={-1}
    aria-hidden
    onClick={(event) => {
      event.stopPropagation();
      onFold();
    }}
  >
    {folded ? <IconChevronRight size={14} /> : <IconChevronDown size={14} />}
  </button>
);

/** Tokens and cost of a call, or dimmed those of all calls below a span. */
function Used({ sum, own }: { sum: CallSum; own: boolean }) {
  const of = own && sum.calls === 1 ? "" : ` of ${plural(sum.calls, "model call")}`;
  const atLeast = sum.cost !== null && sum.unpriced > 0 ? "≥ " : "";
  return (
    <>
      <span
        className={`${classes.tokens} tabular`}
        data-sum={of ? "" : undefined}
        title={sum.tokens === null ? "no usage was sent" : `${formatCount(sum.tokens)} tokens${of}`}
      >
        {formatCompact(sum.tokens)}
        <span className={classes.unit}> tokens</span>
      </span>
      <span
        className={`${classes.cost} tabular`}
        data-sum={of ? "" : undefined}
        title={`${formatUsdExact(sum.cost)}${of}${sum.unpriced > 0 ? `, ${formatCount(sum.unpriced)} without a price` : ""}`}
      >
        {atLeast}
        {formatUsd(sum.cost)}
      </span>
    </>
  );
}

function Lane({ span, until, extent }: Pick<Props, "extent" | "until"> & { span: SpanData }) {
  const whole = Math.max(1, extent.end - extent.start);
  return (
    <span className={classes.lane}>
      <span
        className={classes.fill}
        data-error={span.status === "error" || undefined}
        style={{
          insetInlineStart: `${((span.startedAt - extent.start) / whole) * 100}%`,
          inlineSize: `max(2px, ${((until - span.startedAt) / whole) * 100}%)`,
        }}
      />
    </span>
  );
}
