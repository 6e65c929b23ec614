import { Title } from "@mantine/core";
import classes from "./page-header.module.css";

type Props = { title: React.ReactNode; children?: React.ReactNode; aside?: React.ReactNode };

/** The bar on top of a page: its name, its filters and its actions. */
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
