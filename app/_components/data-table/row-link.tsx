import Link from "next/link";
import { isPlainClick } from "@/app/_lib/plain-click";
import classes from "./data-table.module.css";

type Props = {
  href: string;
  index: number;
  onPeek?: (() => void) | undefined;
  /** A plain click peeks too: the link's URL is this list's, with the row open. */
  peeks?: boolean;
  children: React.ReactNode;
};

/** A row's link: Enter opens it, Space peeks. */
export function RowLink({ href, index, onPeek, peeks = false, children }: Props) {
  return (
    <Link
      href={href}
      prefetch={false}
      className={classes.link}
      data-row={index}
      onClick={(event) => {
        if (!peeks || !onPeek || !isPlainClick(event)) return;
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
