import Link from "next/link";
import { formatCount, formatPercent } from "@/app/_lib/format";
import classes from "./overview.module.css";

type Props = {
  title: string;
  /** Each with the URL of its Examples. */
  values: readonly { label: string; count: number; href: string }[];
  total: number;
};

/** Counts of Examples by one property, each linked to those Examples. */
export function Counts({ title, values, total }: Props) {
  return (
    <section aria-label={title} className={classes.counts}>
      <h3 className={classes.title}>{title}</h3>
      {values.length === 0 ? <p className={classes.none}>None</p> : null}
      <ul>
        {values.map(({ label, count, href }) => (
          <li key={href}>
            <Link href={href} className="clip" title={label}>
              {label}
            </Link>
            <span className="tabular">{formatCount(count)}</span>
            <span className={`${classes.share} tabular`}>{formatPercent(total === 0 ? null : count / total)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
