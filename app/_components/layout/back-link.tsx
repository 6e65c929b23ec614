import { IconChevronLeft } from "@tabler/icons-react";
import Link from "next/link";
import classes from "./back-link.module.css";

/** Links from an item to its list; `label` names the list. */
export const BackLink = ({ href, label }: { href: string; label: string }) => (
  <Link href={href} className={classes.root} aria-label={label}>
    <IconChevronLeft size={16} aria-hidden />
  </Link>
);
