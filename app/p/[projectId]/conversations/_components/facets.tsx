import {
  FacetNote,
  FacetOnly,
  FacetOption,
  FacetOptions,
  FacetPanel,
  FacetTitle,
  FacetValues,
} from "@/app/_components/facets/facets";
import { formatCount } from "@/app/_lib/format";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import type { View } from "./view";

type FacetCounts = RouterOutputs["conversations"]["facets"]["facets"];
type Props = {
  view: View;
  setView: (view: Partial<Pick<View, "model" | "label" | "findings" | "errors" | "user">>) => unknown;
  facets: FacetCounts | undefined;
  shown: boolean;
};

/** What the conversations of the time range consist of; a click narrows the list. */
export function Facets({ view, setView, facets, shown }: Props) {
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
          count={facets ? facets.total - facets.withFindings : undefined}
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
          count={facets ? facets.total - facets.withErrors : undefined}
          on={view.errors === false}
          onToggle={() => setView({ errors: view.errors === false ? null : false })}
        />
      </FacetOptions>
      <FacetValues
        title="Model"
        mono
        values={facets?.models}
        chosen={view.model}
        onChoose={(model) => setView({ model })}
      />
      <FacetValues title="Label" values={facets?.labels} chosen={view.label} onChoose={(label) => setView({ label })} />
      {view.user === null ? null : (
        <FacetOnly title="User" value={view.user} onRemove={() => setView({ user: null })} />
      )}
      <FacetNote>
        {facets?.sampled ? `Counts cover the newest ${formatCount(facets.total)} conversations.` : " "}
      </FacetNote>
    </FacetPanel>
  );
}
