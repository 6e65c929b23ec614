import { FacetNote, FacetOnly, FacetPanel, FacetValues } from "@/app/_components/facets/facets";
import { formatCount } from "@/app/_lib/format";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { SEVERAL_MAX } from "@/server/platform/schemas";
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

const toggled = <Value extends string>(values: readonly Value[], value: Value, on: boolean) =>
  on ? [...values, value].slice(0, SEVERAL_MAX) : values.filter((other) => other !== value);

/** The facets of a Dataset's Examples, each counted under the other filters; a click narrows the list. */
export function ExampleFacets({ view, setView, facets, shown }: Props) {
  const exact = facets !== undefined && !facets.sampled;
  return (
    <FacetPanel shown={shown}>
      <FacetValues
        title="Split"
        values={facets && known(facets.splits, SPLIT_VALUES)}
        nameOf={(split) => SPLITS[split]}
        chosen={view.split}
        several
        exact={exact}
        onToggle={(split, on) => setView({ split: toggled(view.split, split, on) })}
      />
      <FacetValues
        title="Source"
        values={facets && known(facets.sources, SOURCE_VALUES)}
        nameOf={(source) => SOURCES[source]}
        chosen={view.source}
        several
        exact={exact}
        onToggle={(source, on) => setView({ source: toggled(view.source, source, on) })}
      />
      <FacetValues
        title="Objective"
        values={facets && known(facets.objectives, OBJECTIVE_VALUES)}
        nameOf={(objective) => OBJECTIVE_NAMES[objective]}
        chosen={view.objective}
        several
        exact={exact}
        onToggle={(objective, on) => setView({ objective: toggled(view.objective, objective, on) })}
      />
      <FacetValues
        title="Tag"
        values={facets?.tags}
        chosen={view.tag}
        several
        exact={exact}
        onToggle={(tag, on) => setView({ tag: toggled(view.tag, tag, on) })}
      />
      {view.conversation === null ? null : (
        <FacetOnly title="Conversation" value={view.conversation} onRemove={() => setView({ conversation: null })} />
      )}
      {facets?.sampled ? <FacetNote>Counts cover the newest {formatCount(facets.counted)} Examples.</FacetNote> : null}
    </FacetPanel>
  );
}
