import Link from "next/link";
import classes from "./series.module.css";

/** A series of a chart. `name` is its key in the data: clients choose the labels. */
export type Series = { name: string; label: string; color: string };

type Props<One extends Series> = {
  series: readonly One[];
  /** Returns the page behind a series, if it has one. */
  hrefOf?: (one: One) => string | null;
};

/** The colours of a chart's series. */
export const SeriesLegend = <One extends Series>({ series, hrefOf = () => null }: Props<One>) => (
  <ul className={classes.legend} aria-label="Colours" data-legend>
    {series.map((one) => {
      const href = hrefOf(one);
      const entry = (
        <>
          <span className={classes.swatch} style={{ background: one.color }} />
          <span className="clip">{one.label}</span>
        </>
      );
      return (
        <li key={one.name} title={one.label}>
          {href ? (
            <Link href={href} prefetch={false}>
              {entry}
            </Link>
          ) : (
            entry
          )}
        </li>
      );
    })}
  </ul>
);
