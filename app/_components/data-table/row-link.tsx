import Link from "next/link";
import classes from "./data-table.module.css";

type Props = {
  href: string;
  index: number;
  onPeek?: (() => void) | undefined;
  /** A plain click peeks too: the address is this list's, with the row open. */
  peeks?: boolean;
  children: React.ReactNode;
};

const isPlain = (event: React.MouseEvent) => !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;

/** A row's link: Enter opens it, Space peeks. */
export function RowLink({ href, index, onPeek, peeks = false, children }: Props) {
  return (
    <Link
      href={href}
      prefetch={false}
      className={classes.link}
      data-row={index}
      onClick={(event) => {
        if (!peeks || !onPeek || !isPlain(event)) return;
        event.preventDefault();
        onPeek();
      }}
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
