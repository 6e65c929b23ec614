import { formatCount } from "@/app/_lib/format";
import classes from "./collection.module.css";

type Props = { title: string; counts: Readonly<Record<string, number>>; wordsOf: (code: string) => string };

/** Counts by reason, the largest first. */
export function CountsByReason({ title, counts, wordsOf }: Props) {
  const rows = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort((a, b) => b[1] - a[1]);
  return (
    <div>
      <h3 className={classes.title}>{title}</h3>
      {rows.length === 0 ? (
        <p className={classes.quiet}>Nothing</p>
      ) : (
        <dl className={classes.counts}>
          {rows.map(([code, count]) => (
            <div key={code} className={classes.count}>
              <dt>{wordsOf(code)}</dt>
              <dd>{formatCount(count)}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
