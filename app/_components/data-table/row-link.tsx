import Link from "next/link";
import classes from "./data-table.module.css";

type Props = { href: string; index: number; onPeek?: (() => void) | undefined; children: React.ReactNode };

/** A row's link: Enter opens it, Space peeks. */
export function RowLink({ href, index, onPeek, children }: Props) {
  return (
    <Link
      href={href}
      prefetch={false}
      className={classes.link}
      data-row={index}
      onKeyDown={(event) => {
        if (event.key !== " " || !onPeek) return;
        event.preventDefault();
        onPeek();
      }}
    >
      {children}
    </Link>
  );
}
