import { Title } from "@mantine/core";
import classes from "./page-header.module.css";

type Props = { title: React.ReactNode; children?: React.ReactNode; aside?: React.ReactNode };

/** The one line on top of a page: its name, what is chosen, what can be done. */
export function PageHeader({ title, children, aside }: Props) {
  return (
    <header className={classes.root}>
      <Title order={1} className={classes.title}>
        {title}
      </Title>
      {children}
      {aside ? <div className={classes.aside}>{aside}</div> : null}
    </header>
  );
}
