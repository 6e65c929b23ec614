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
import { languageName } from "@/server/platform/language/names";
import { SEVERAL_MAX } from "@/server/platform/schemas";
import { CONVERSATION_TRAITS, type ConversationTrait } from "@/server/services/telemetry/schemas";
import { HAS_USER, TRAIT_WORDS, type View } from "./view";

type ValuesName = "model" | "label" | ConversationTrait;
type RangeName = "minCost" | "maxCost" | "minSeconds" | "maxSeconds";
type FacetCounts = RouterOutputs["conversations"]["facets"]["facets"];
type Props = {
  view: View;
  setView: (
    view: Partial<
      Pick<
        View,
        ValuesName | "findings" | "finding" | "errors" | "feedback" | "thumbsDown" | "user" | "hasUser" | RangeName
      >
    >,
  ) => unknown;
  facets: FacetCounts | undefined;
  shown: boolean;
};

/** More would push the other facets out of sight. */
const FINDINGS_SHOWN = 6;

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
  const values = (title: string, name: ValuesName, counted: FacetCounts["models"] | undefined) => (
    <FacetValues
      key={name}
      title={title}
      {...(name === "language" && { nameOf: languageName })}
      mono={name === "model" || name === "tool"}
      values={counted}
      chosen={view[name]}
      several
      exact={exact}
      onToggle={(value, on) => setView({ [name]: toggled(view[name], value, on) })}
    />
  );
  return (
    <FacetPanel shown={shown}>
      <FacetEither
        title="Findings"
        labels={["With Findings", "Without Findings"]}
        counts={[facets?.withFindings, facets?.withoutFindings]}
        value={view.findings}
        onChange={(findings) => setView({ findings })}
      />
      {view.finding === null ? (
        <FacetOptions>
          {facets?.findings?.slice(0, FINDINGS_SHOWN).map(({ id, title, count }) => (
            <FacetOption
              key={id}
              label={title.replaceAll("`", "")}
              count={count}
              on={false}
              onToggle={() => setView({ finding: id })}
            />
          ))}
        </FacetOptions>
      ) : (
        <FacetOnly
          title="Finding"
          value={facets?.findings?.find(({ id }) => id === view.finding)?.title ?? view.finding}
          onRemove={() => setView({ finding: null })}
        />
      )}
      <FacetEither
        title="Errors"
        labels={["With errors", "Without errors"]}
        counts={[facets?.withErrors, facets?.withoutErrors]}
        value={view.errors}
        onChange={(errors) => setView({ errors })}
      />
      <FacetTitle>Feedback</FacetTitle>
      <FacetOptions>
        <FacetOption
          label="With feedback"
          count={facets?.withFeedback}
          on={view.feedback === true}
          onToggle={() => setView({ feedback: view.feedback === true ? null : true, thumbsDown: null })}
        />
        <FacetOption
          label="Thumbs down"
          count={facets?.withThumbsDown}
          on={view.thumbsDown === true}
          onToggle={() => setView({ feedback: null, thumbsDown: view.thumbsDown === true ? null : true })}
        />
        <FacetOption
          label="Without feedback"
          count={facets?.withoutFeedback}
          on={view.feedback === false}
          onToggle={() => setView({ feedback: view.feedback === false ? null : false, thumbsDown: null })}
        />
      </FacetOptions>
      {values("Model", "model", facets?.models)}
      {values("Label", "label", facets?.labels)}
      {CONVERSATION_TRAITS.map((dimension) => {
        const counted = facets?.[`${dimension}s`];
        // Not every client sends each of them.
        const isUnused = (counted?.length ?? 0) === 0 && view[dimension].length === 0;
        return isUnused ? null : values(TRAIT_WORDS[dimension], dimension, counted);
      })}
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
