import {
  FacetNote,
  FacetOnly,
  FacetOption,
  FacetOptions,
  FacetPanel,
  FacetRange,
  FacetTitle,
  FacetValues,
} from "@/app/_components/facets/facets";
import { formatCount } from "@/app/_lib/format";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { SEVERAL_MAX } from "@/server/platform/schemas";
import { HAS_USER, type View } from "./view";

type RangeName = "minCost" | "maxCost" | "minSeconds" | "maxSeconds";
type FacetCounts = RouterOutputs["conversations"]["facets"]["facets"];
type Props = {
  view: View;
  setView: (
    view: Partial<Pick<View, "model" | "label" | "findings" | "errors" | "feedback" | "user" | "hasUser" | RangeName>>,
  ) => unknown;
  facets: FacetCounts | undefined;
  shown: boolean;
};

const toggled = (values: readonly string[], value: string, on: boolean) =>
  on ? [...values, value].slice(0, SEVERAL_MAX) : values.filter((other) => other !== value);

type EitherProps = {
  title: string;
  /** Of the conversations that have something, and of those that have not. */
  labels: readonly [string, string];
  counts: readonly [number | undefined, number | undefined];
  value: boolean | null;
  onChange: (value: boolean | null) => void;
};

/** Conversations with or without something; pressed again, both. */
const FacetEither = ({ title, labels, counts, value, onChange }: EitherProps) => (
  <>
    <FacetTitle>{title}</FacetTitle>
    <FacetOptions>
      {[true, false].map((has, at) => (
        <FacetOption
          key={labels[at]}
          label={labels[at]!}
          count={counts[at]}
          on={value === has}
          onToggle={() => onChange(value === has ? null : has)}
        />
      ))}
    </FacetOptions>
  </>
);

/** The conversations' facets, each counted under the other filters; a click narrows the list. */
export function Facets({ view, setView, facets, shown }: Props) {
  const exact = facets !== undefined && !facets.sampled;
  return (
    <FacetPanel shown={shown}>
      <FacetEither
        title="Findings"
        labels={["With Findings", "Without Findings"]}
        counts={[facets?.withFindings, facets?.withoutFindings]}
        value={view.findings}
        onChange={(findings) => setView({ findings })}
      />
      <FacetEither
        title="Errors"
        labels={["With errors", "Without errors"]}
        counts={[facets?.withErrors, facets?.withoutErrors]}
        value={view.errors}
        onChange={(errors) => setView({ errors })}
      />
      <FacetEither
        title="Feedback"
        labels={["With feedback", "Without feedback"]}
        counts={[facets?.withFeedback, facets?.withoutFeedback]}
        value={view.feedback}
        onChange={(feedback) => setView({ feedback })}
      />
      <FacetValues
        title="Model"
        mono
        values={facets?.models}
        chosen={view.model}
        several
        exact={exact}
        onToggle={(value, on) => setView({ model: toggled(view.model, value, on) })}
      />
      <FacetValues
        title="Label"
        values={facets?.labels}
        chosen={view.label}
        several
        exact={exact}
        onToggle={(value, on) => setView({ label: toggled(view.label, value, on) })}
      />
      <FacetRange
        title="Cost"
        unit="$"
        min={view.minCost}
        max={view.maxCost}
        onChange={(minCost, maxCost) => setView({ minCost, maxCost })}
      />
      <FacetRange
        title="Duration"
        unit="s"
        min={view.minSeconds}
        max={view.maxSeconds}
        onChange={(minSeconds, maxSeconds) => setView({ minSeconds, maxSeconds })}
      />
      {view.user === null ? (
        <FacetEither
          title="User"
          labels={[HAS_USER.true, HAS_USER.false]}
          counts={[facets?.withUser, facets?.withoutUser]}
          value={view.hasUser}
          onChange={(hasUser) => setView({ hasUser })}
        />
      ) : (
        <FacetOnly title="User" value={view.user} onRemove={() => setView({ user: null })} />
      )}
      <FacetNote>
        {facets?.sampled ? `Counts cover the newest ${formatCount(facets.counted)} conversations.` : " "}
      </FacetNote>
    </FacetPanel>
  );
}
