import { UnstyledButton } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { formatCompact, formatCount } from "@/app/_lib/format";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import classes from "./conversations.module.css";
import type { View } from "./view";

type FacetCounts = RouterOutputs["conversations"]["facets"]["facets"];
type Props = {
  view: View;
  setView: (view: Partial<Pick<View, "model" | "label" | "findings" | "errors" | "user">>) => unknown;
  facets: FacetCounts | undefined;
  shown: boolean;
};

type OptionProps = { label: string; count: number | undefined; on: boolean; onToggle: () => void; mono?: boolean };

function Option({ label, count, on, onToggle, mono }: OptionProps) {
  return (
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
}

type ValuesProps = {
  title: string;
  values: FacetCounts["models"] | undefined;
  chosen: string | null;
  onChoose: (value: string | null) => void;
  mono?: boolean;
};

/** The values of one property; includes the chosen one even if it is not among the most frequent. */
function Values({ title, values, chosen, onChoose, mono = false }: ValuesProps) {
  const listed = chosen === null || values?.some(({ value }) => value === chosen);
  return (
    <>
      <h2 className={classes.facetTitle}>{title}</h2>
      <ul className={classes.options}>
        {listed ? null : <Option mono={mono} label={chosen} count={undefined} on onToggle={() => onChoose(null)} />}
        {values?.map(({ value, count }) => (
          <Option
            key={value}
            mono={mono}
            label={value}
            count={count}
            on={chosen === value}
            onToggle={() => onChoose(chosen === value ? null : value)}
          />
        ))}
        {values?.length === 0 ? <li className={classes.none}>None seen</li> : null}
      </ul>
    </>
  );
}

/** What the conversations of the time range consist of; a click narrows the list. */
export function Facets({ view, setView, facets, shown }: Props) {
  return (
    <aside className={classes.facets} aria-label="Filters" data-shown={shown || undefined}>
      <h2 className={classes.facetTitle}>Findings</h2>
      <ul className={classes.options}>
        <Option
          label="With Findings"
          count={facets?.withFindings}
          on={view.findings === true}
          onToggle={() => setView({ findings: view.findings === true ? null : true })}
        />
        <Option
          label="Without Findings"
          count={facets ? facets.total - facets.withFindings : undefined}
          on={view.findings === false}
          onToggle={() => setView({ findings: view.findings === false ? null : false })}
        />
      </ul>
      <h2 className={classes.facetTitle}>Errors</h2>
      <ul className={classes.options}>
        <Option
          label="With errors"
          count={facets?.withErrors}
          on={view.errors === true}
          onToggle={() => setView({ errors: view.errors === true ? null : true })}
        />
        <Option
          label="Without errors"
          count={facets ? facets.total - facets.withErrors : undefined}
          on={view.errors === false}
          onToggle={() => setView({ errors: view.errors === false ? null : false })}
        />
      </ul>
      <Values title="Model" mono values={facets?.models} chosen={view.model} onChoose={(model) => setView({ model })} />
      <Values title="Label" values={facets?.labels} chosen={view.label} onChoose={(label) => setView({ label })} />
      {view.user !== null ? (
        <>
          <h2 className={classes.facetTitle}>User</h2>
          <UnstyledButton className={classes.option} aria-pressed onClick={() => setView({ user: null })}>
            <span className="mono clip">{view.user}</span>
            <IconX size={12} aria-label="remove" />
          </UnstyledButton>
        </>
      ) : null}
      <p className={classes.note}>
        {facets?.sampled ? `Counts are of the newest ${formatCount(facets.total)} conversations.` : " "}
      </p>
    </aside>
  );
}
