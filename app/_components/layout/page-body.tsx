import { Title } from "@mantine/core";
import { useId } from "react";
import classes from "./page-body.module.css";

/** The area below the page's header; it scrolls while the header stays. */
export const PageBody = ({ children }: { children: React.ReactNode }) => <div className={classes.root}>{children}</div>;

type SectionProps = {
  title: string;
  /** Extends to both edges of the page, for tables. */
  flush?: boolean;
  /** As wide as the page, for rows. */
  wide?: boolean;
  /** The fragment (`#…`) that links here. */
  anchor?: string;
  children: React.ReactNode;
};

/** A titled section of a page with several subjects. */
export function PageSection({ title, flush = false, wide = false, anchor, children }: SectionProps) {
  const id = useId();
  return (
    <section
      id={anchor}
      aria-labelledby={id}
      className={classes.section}
      data-flush={flush || undefined}
      data-wide={wide || undefined}
    >
      <Title order={2} id={id} className={classes.title}>
        {title}
      </Title>
      <div className={classes.content}>{children}</div>
    </section>
  );
}
