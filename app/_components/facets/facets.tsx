import { Button, NumberInput, UnstyledButton } from "@mantine/core";
import { IconFilter, IconSquare, IconSquareCheckFilled, IconX } from "@tabler/icons-react";
import { formatCompact, formatCount } from "@/app/_lib/format";
import classes from "./facets.module.css";

/** The panel next to a list that shows what the list consists of. On a narrow screen, `FacetsToggle` opens it. */
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

type OptionProps = {
  label: string;
  count: number | undefined;
  on: boolean;
  onToggle: () => void;
  mono?: boolean;
  /** Others can be on at the same time. */
  several?: boolean;
};

export const FacetOption = ({ label, count, on, onToggle, mono = false, several = false }: OptionProps) => (
  <li>
    <UnstyledButton className={classes.option} aria-pressed={on} onClick={onToggle}>
      {several ? <Box on={on} /> : null}
      <span className={mono ? "mono clip" : "clip"} title={label}>
        {label}
      </span>
      <span className={`${classes.count} tabular`} title={count === undefined ? "unknown" : formatCount(count)}>
        {formatCompact(count)}
      </span>
    </UnstyledButton>
  </li>
);

const Box = ({ on }: { on: boolean }) => {
  const Icon = on ? IconSquareCheckFilled : IconSquare;
  return <Icon className={classes.box} size={14} aria-hidden />;
};

type ValuesProps<Value extends string> = {
  title: string;
  /** `undefined` while they are loading. */
  values: readonly { value: Value; count: number }[] | undefined;
  /** Returns the display name of a value; by default, the value itself. */
  nameOf?: (value: Value) => string;
  chosen: readonly Value[];
  onToggle: (value: Value, on: boolean) => void;
  mono?: boolean;
  /** More than one can be chosen; any of them matches. */
  several?: boolean;
  /** A value that is not listed does not occur. Otherwise its count is unknown. */
  exact?: boolean;
};

/** The values of one property; includes the chosen ones even if they are not among the most frequent. */
export function FacetValues<Value extends string>({
  title,
  values,
  nameOf = String,
  chosen,
  onToggle,
  mono = false,
  several = false,
  exact = false,
}: ValuesProps<Value>) {
  const unlisted = chosen.filter((one) => !values?.some(({ value }) => value === one));
  return (
    <>
      <FacetTitle>{title}</FacetTitle>
      <FacetOptions>
        {unlisted.map((value) => (
          <FacetOption
            key={value}
            mono={mono}
            several={several}
            label={nameOf(value)}
            count={exact ? 0 : undefined}
            on
            onToggle={() => onToggle(value, false)}
          />
        ))}
        {values?.map(({ value, count }) => (
          <FacetOption
            key={value}
            mono={mono}
            several={several}
            label={nameOf(value)}
            count={count}
            on={chosen.includes(value)}
            onToggle={() => onToggle(value, !chosen.includes(value))}
          />
        ))}
        {values?.length === 0 && unlisted.length === 0 ? <li className={classes.none}>None</li> : null}
      </FacetOptions>
    </>
  );
}

type RangeProps = {
  title: string;
  unit: string;
  min: number | null;
  max: number | null;
  onChange: (min: number | null, max: number | null) => void;
};

/** A range of numbers, of which either end may be open. It filters when a field is left, or with Enter. */
export function FacetRange({ title, unit, min, max, onChange }: RangeProps) {
  const end = (name: string, value: number | null, change: (value: number | null) => void) => (
    <NumberInput
      // A number that the URL or a chip has changed replaces what is in the field.
      key={`${name}:${value}`}
      size="xs"
      hideControls
      min={0}
      aria-label={`${title} ${name} (${unit})`}
      placeholder={`${name} ${unit}`}
      defaultValue={value ?? ""}
      onBlur={(event) => {
        const text = event.currentTarget.value.trim();
        const next = text === "" ? null : Number(text);
        if (next !== value && !Number.isNaN(next)) change(next);
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") event.currentTarget.blur();
      }}
    />
  );
  return (
    <>
      <FacetTitle>{title}</FacetTitle>
      <div className={classes.range}>
        {end("from", min, (next) => onChange(next, max))}
        {end("to", max, (next) => onChange(min, next))}
      </div>
    </>
  );
}

type ChosenProps = { filters: readonly { id: string; text: string; onRemove: () => void }[] };

/** The filters that are set, each removed by a press. */
export const ChosenFilters = ({ filters }: ChosenProps) =>
  filters.length === 0 ? null : (
    <ul className={classes.chosen} aria-label="Active filters">
      {filters.map(({ id, text, onRemove }) => (
        <li key={id}>
          <Button
            variant="default"
            size="compact-xs"
            className={classes.chip}
            rightSection={<IconX size={12} aria-hidden />}
            aria-label={`Remove the filter ${text}`}
            title={text}
            onClick={onRemove}
          >
            <span className="clip">{text}</span>
          </Button>
        </li>
      ))}
    </ul>
  );

type OnlyProps = { title: string; value: string; onRemove: () => void };

/** A property whose values are not listed: shows only the value chosen elsewhere, so that it can be removed. */
export const FacetOnly = ({ title, value, onRemove }: OnlyProps) => (
  <>
    <FacetTitle>{title}</FacetTitle>
    <UnstyledButton className={classes.option} aria-pressed onClick={onRemove}>
      <span className="mono clip">{value}</span>
      <IconX size={12} aria-label="remove" />
    </UnstyledButton>
  </>
);
