import Link from "next/link";
import classes from "./home.module.css";
import type { Waiting } from "./words";

/** Counts beside each other, each linked to the list of what was counted. */
export const Lines = ({ items, label }: { items: readonly Waiting[]; label: string }) =>
  items.length === 0 ? null : (
    <ul className={classes.lines} aria-label={label}>
      {items.map(({ key, words, href }) => (
        <li key={key}>
          <Link href={href}>{words}</Link>
        </li>
      ))}
    </ul>
  );
