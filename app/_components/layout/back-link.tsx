import { IconChevronLeft } from "@tabler/icons-react";
import Link from "next/link";
import classes from "./back-link.module.css";

/** From one thing to the list of all; `label` names that. */
export const BackLink = ({ href, label }: { href: string; label: string }) => (
  <Link href={href} className={classes.root} aria-label={label}>
    <IconChevronLeft size={16} aria-hidden />
  </Link>
);
