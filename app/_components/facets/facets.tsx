import { Button, UnstyledButton } from "@mantine/core";
import { IconFilter, IconX } from "@tabler/icons-react";
import { formatCompact, formatCount } from "@/app/_lib/format";
import classes from "./facets.module.css";

/** The panel next to a list that says what the list consists of. On a narrow screen it is opened by `FacetsToggle`. */
export const FacetPanel = ({ shown, children }: { shown: boolean; children: React.ReactNode }) => (
  <aside className={classes.facets} aria-label="Filters" data-shown={shown || undefined}>
    {children}
  </aside>
);

type ToggleProps = { chosen: number; shown: boolean; onToggle: () => void };

/** Opens the panel where the screen has no room for it. `chosen`: how many filters are set. */
export const FacetsToggle = ({ chosen, shown, onToggle }: ToggleProps) => (
  <Button
    className={classes.facetsToggle}
    variant="default"
    leftSection={<IconFilter size={14} aria-hidden />}
    aria-expanded={shown}
    onClick={onToggle}
  >
    Filters{chosen > 0 ? ` (${chosen})` : ""}
  </Button>
);

export const FacetTitle = ({ children }: { children: React.ReactNode }) => (
  <h2 className={classes.facetTitle}>{children}</h2>
);

export const FacetOptions = ({ children }: { children: React.ReactNode }) => (
  <ul className={classes.options}>{children}</ul>
);

export const FacetNote = ({ children }: { children: React.ReactNode }) => <p className={classes.note}>{children}</p>;

type OptionProps = { label: string; count: number | undefined; on: boolean; onToggle: () => void; mono?: boolean };

export const FacetOption = ({ label, count, on, onToggle, mono = false }: OptionProps) => (
  <li>
    <UnstyledButton className={classes.option} aria-pressed={on} onClick={onToggle}>
      <span className={mono ? "mono clip" : "clip"} title={label}>
        {label}
      </span>
      <span className={`${classes.count} tabular`} title={count === undefined ? "unknown" : formatCount(count)}>
        {formatCompact(count)}
      </span>
    </UnstyledButton>
  </li>
);

type ValuesProps<Value extends string> = {
  title: string;
  /** `undefined` while they are loading. */
  values: readonly { value: Value; count: number }[] | undefined;
  /** How the values are called; by default as they are. */
  words?: Record<Value, string>;
  chosen: Value | null;
  onChoose: (value: Value | null) => void;
  mono?: boolean;
};

/** The values of one property; includes the chosen one even if it is not among the most frequent. */
export function FacetValues<Value extends string>({
  title,
  values,
  words,
  chosen,
  onChoose,
  mono = false,
}: ValuesProps<Value>) {
  const listed = chosen === null || values?.some(({ value }) => value === chosen);
  const nameOf = (value: Value) => words?.[value] ?? value;
  return (
    <>
      <FacetTitle>{title}</FacetTitle>
      <FacetOptions>
        {listed ? null : (
          <FacetOption mono={mono} label={nameOf(chosen)} count={undefined} on onToggle={() => onChoose(null)} />
        )}
        {values?.map(({ value, count }) => (
          <FacetOption
            key={value}
            mono={mono}
            label={nameOf(value)}
            count={count}
            on={chosen === value}
            onToggle={() => onChoose(chosen === value ? null : value)}
          />
        ))}
        {values?.length === 0 && listed ? <li className={classes.none}>None</li> : null}
      </FacetOptions>
    </>
  );
}

type OnlyProps = { title: string; value: string; onRemove: () => void };

/** A property of which only the value that was chosen elsewhere can be shown, to be removed. */
export const FacetOnly = ({ title, value, onRemove }: OnlyProps) => (
  <>
    <FacetTitle>{title}</FacetTitle>
    <UnstyledButton className={classes.option} aria-pressed onClick={onRemove}>
      <span className="mono clip">{value}</span>
      <IconX size={12} aria-label="remove" />
    </UnstyledButton>
  </>
);
