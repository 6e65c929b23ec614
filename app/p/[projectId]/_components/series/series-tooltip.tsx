import type { ReactNode } from "react";
import classes from "./series.module.css";
import type { Series } from "./series-legend";

type Props = {
  /** The place on the axis. */
  at: string;
  total: ReactNode;
  /** What the values leave out. */
  note?: ReactNode;
  series: readonly Series[];
  /** By the series' names; what is no number has no value there. */
  values: ReadonlyMap<string, unknown>;
  format: (value: number) => string;
};

/** The tooltip of a chart: the series that have a value at one place, the largest first. */
export function SeriesTooltip({ at, total, note, series, values, format }: Props) {
  const known = series
    .flatMap((one) => {
      const value = values.get(one.name);
      return typeof value === "number" ? [{ ...one, value }] : [];
    })
    .sort((a, b) => b.value - a.value);
  return (
    <div className={classes.tip}>
      <div className={classes.tipHead}>
        <span>{at}</span>
        {total}
      </div>
      {note ? <div className={classes.tipNote}>{note}</div> : null}
      {known.map(({ name, label, color, value }) => (
        <div key={name} className={classes.tipLine}>
          <span className={classes.swatch} style={{ background: color }} />
          <span className="clip">{label}</span>
          <span className="tabular">{format(value)}</span>
        </div>
      ))}
    </div>
  );
}
