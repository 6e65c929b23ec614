import { UnstyledButton } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { formatCompact, formatCount } from "@/app/_lib/format";
import type { RouterOutputs } from "@/app/_lib/trpc";
import classes from "./conversations.module.css";
import type { View } from "./view";

type FacetCounts = RouterOutputs["conversations"]["facets"]["facets"];
type Props = {
  view: View;
  setView: (view: Partial<Pick<View, "model" | "findings" | "errors" | "user">>) => unknown;
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

/** What the conversations of the time range are made of; a click narrows the list. */
export function Facets({ view, setView, facets, shown }: Props) {
  const models = facets?.models ?? [];
  const listed = view.model === null || models.some(({ value }) => value === view.model);
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
      <h2 className={classes.facetTitle}>Model</h2>
      <ul className={classes.options}>
        {listed ? null : (
          <Option mono label={view.model ?? ""} count={undefined} on onToggle={() => setView({ model: null })} />
        )}
        {models.map(({ value, count }) => (
          <Option
            key={value}
            mono
            label={value}
            count={count}
            on={view.model === value}
            onToggle={() => setView({ model: view.model === value ? null : value })}
          />
        ))}
        {facets && models.length === 0 ? <li className={classes.none}>None seen</li> : null}
      </ul>
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
