import classes from "./dot.module.css";

type Props = { color: string; hollow?: boolean; children: React.ReactNode; title?: string };

/** A coloured dot with its word: colour alone carries no meaning. */
export function Dot({ color, hollow, children, title }: Props) {
  return (
    <span className={classes.root} title={title}>
      <span
        aria-hidden
        className={classes.dot}
        data-hollow={hollow || undefined}
        style={{ "--dot": color } as React.CSSProperties}
      />
      {children}
    </span>
  );
}
