import { FacetOnly, FacetPanel, FacetValues } from "@/app/_components/facets/facets";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { known } from "../../../_components/known";
import { OBJECTIVE_VALUES, OBJECTIVES, SOURCE_VALUES, SOURCES, SPLIT_VALUES, SPLITS } from "../../../_components/words";
import type { View } from "../view";

type Filters = Partial<Pick<View, "split" | "source" | "objective" | "tag" | "conversation">>;
type Props = {
  view: View;
  setView: (view: Filters) => unknown;
  facets: RouterOutputs["examples"]["facets"]["facets"] | undefined;
  shown: boolean;
};

const OBJECTIVE_NAMES = Object.fromEntries(
  Object.entries(OBJECTIVES).map(([value, { name }]) => [value, name]),
) as Record<keyof typeof OBJECTIVES, string>;

const chosenOf = <Value,>(value: Value | null) => (value === null ? [] : [value]);

/** What a Dataset's Examples consist of; a click narrows the list. */
export function ExampleFacets({ view, setView, facets, shown }: Props) {
  return (
    <FacetPanel shown={shown}>
      <FacetValues
        title="Split"
        values={facets && known(facets.splits, SPLIT_VALUES)}
        words={SPLITS}
        chosen={chosenOf(view.split)}
        onToggle={(split, on) => setView({ split: on ? split : null })}
      />
      <FacetValues
        title="Source"
        values={facets && known(facets.sources, SOURCE_VALUES)}
        words={SOURCES}
        chosen={chosenOf(view.source)}
        onToggle={(source, on) => setView({ source: on ? source : null })}
      />
      <FacetValues
        title="Objective"
        values={facets && known(facets.objectives, OBJECTIVE_VALUES)}
        words={OBJECTIVE_NAMES}
        chosen={chosenOf(view.objective)}
        onToggle={(objective, on) => setView({ objective: on ? objective : null })}
      />
      <FacetValues
        title="Tag"
        values={facets?.tags}
        chosen={chosenOf(view.tag)}
        onToggle={(tag, on) => setView({ tag: on ? tag : null })}
      />
      {view.conversation === null ? null : (
        <FacetOnly title="Conversation" value={view.conversation} onRemove={() => setView({ conversation: null })} />
      )}
    </FacetPanel>
  );
}
