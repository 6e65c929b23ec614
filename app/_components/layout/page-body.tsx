import { Title } from "@mantine/core";
import { useId } from "react";
import classes from "./page-body.module.css";

/** Everything below the page's header; this scrolls and the header stays. */
export const PageBody = ({ children }: { children: React.ReactNode }) => <div className={classes.root}>{children}</div>;

type SectionProps = {
  title: string;
  /** To both edges of the page, for what is a table. */
  flush?: boolean;
  /** What an address ends with (`#…`) to come here. */
  anchor?: string;
  children: React.ReactNode;
};

/** One subject of a page that has several, each with its name above it. */
export function PageSection({ title, flush = false, anchor, children }: SectionProps) {
  const id = useId();
  return (
    <section id={anchor} aria-labelledby={id} className={classes.section} data-flush={flush || undefined}>
      <Title order={2} id={id} className={classes.title}>
        {title}
      </Title>
      <div className={classes.content}>{children}</div>
    </section>
  );
}
