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

/** The conversations' facets, each counted under the other filters; a click narrows the list. */
export function Facets({ view, setView, facets, shown }: Props) {
  const exact = facets !== undefined && !facets.sampled;
  return (
    <FacetPanel shown={shown}>
      <FacetTitle>Findings</FacetTitle>
      <FacetOptions>
        <FacetOption
          label="With Findings"
          count={facets?.withFindings}
          on={view.findings === true}
          onToggle={() => setView({ findings: view.findings === true ? null : true })}
        />
        <FacetOption
          label="Without Findings"
          count={facets?.withoutFindings}
          on={view.findings === false}
          onToggle={() => setView({ findings: view.findings === false ? null : false })}
        />
      </FacetOptions>
      <FacetTitle>Errors</FacetTitle>
      <FacetOptions>
        <FacetOption
          label="With errors"
          count={facets?.withErrors}
          on={view.errors === true}
          onToggle={() => setView({ errors: view.errors === true ? null : true })}
        />
        <FacetOption
          label="Without errors"
          count={facets?.withoutErrors}
          on={view.errors === false}
          onToggle={() => setView({ errors: view.errors === false ? null : false })}
        />
      </FacetOptions>
      <FacetTitle>Feedback</FacetTitle>
      <FacetOptions>
        <FacetOption
          label="With feedback"
          count={facets?.withFeedback}
          on={view.feedback === true}
          onToggle={() => setView({ feedback: view.feedback === true ? null : true })}
        />
        <FacetOption
          label="Without feedback"
          count={facets?.withoutFeedback}
          on={view.feedback === false}
          onToggle={() => setView({ feedback: view.feedback === false ? null : false })}
        />
      </FacetOptions>
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
        <>
          <FacetTitle>User</FacetTitle>
          <FacetOptions>
            <FacetOption
              label={HAS_USER.true}
              count={facets?.withUser}
              on={view.hasUser === true}
              onToggle={() => setView({ hasUser: view.hasUser === true ? null : true })}
            />
            <FacetOption
              label={HAS_USER.false}
              count={facets?.withoutUser}
              on={view.hasUser === false}
              onToggle={() => setView({ hasUser: view.hasUser === false ? null : false })}
            />
          </FacetOptions>
        </>
      ) : (
        <FacetOnly title="User" value={view.user} onRemove={() => setView({ user: null })} />
      )}
      <FacetNote>
        {facets?.sampled ? `Counts cover the newest ${formatCount(facets.counted)} conversations.` : " "}
      </FacetNote>
    </FacetPanel>
  );
}
