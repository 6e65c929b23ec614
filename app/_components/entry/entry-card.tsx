import { Title } from "@mantine/core";
import classes from "./entry-card.module.css";
import { Logo } from "./logo";

/** The layout of pages before sign-in: one task, centred. */
export function EntryCard({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <div className={classes.brand}>
          <Logo size={26} />
          <span>Whetstone</span>
        </div>
        <Title order={1} fz="xl">
          {title}
        </Title>
        <div className={classes.body}>{children}</div>
      </div>
    </main>
  );
}
