import { DataList, NativeSelect, TagsInput } from "@mantine/core";
import Link from "next/link";
import { ExactTime } from "@/app/_components/values/exact-time";
import { Fact } from "@/app/_components/values/fact";
import { IdText } from "@/app/_components/values/id-text";
import { formatCount } from "@/app/_lib/format";
import type { Example } from "@/server/services/datasets/examples/schemas";
import type { NamedActor } from "@/server/services/members/schemas";
import { actorWords } from "../../../../../_components/access/actor-words";
import { useMay } from "../../../../../_components/access/membership";
import { TryFix } from "../../../../../_components/variants/try-fix";
import type { ErrorsAt } from "../../../../_components/payload/errors-at";
import { OBJECTIVES, SOURCES, SPLIT_VALUES, SPLITS } from "../../../../_components/words";
import type { Draft } from "./draft";
import classes from "./example-editor.module.css";

type Props = {
  projectId: string;
  example: Example | null;
  reviewer: NamedActor | null;
  draft: Draft;
  errors: ErrorsAt;
  disabled: boolean;
  onChange: (patch: Partial<Draft>) => void;
};

/** What an Example has besides its payload: split, tags, and where it came from. */
export function ExampleRail({ projectId, example, reviewer, draft, errors, disabled, onChange }: Props) {
  return (
    <section className={classes.rail} aria-label="About the Example">
      <NativeSelect
        size="sm"
        label="Split"
        description={
          example === null
            ? "Assigned by content by default, so that equal inputs stay together."
            : example.conversationId === null
              ? "Which part it is used in."
              : "Which part it is used in. Other Examples from its conversation move with it."
        }
        disabled={disabled}
        value={draft.split}
        error={errors["/split"]}
        onChange={({ currentTarget: { value } }) =>
          onChange({ split: SPLIT_VALUES.find((one) => one === value) ?? "" })
        }
        data={[
          ...(example === null ? [{ value: "", label: "Automatic" }] : []),
          ...SPLIT_VALUES.map((value) => ({ value, label: SPLITS[value] })),
        ]}
      />
      <TagsInput
        label="Tags"
        placeholder={draft.tags.length === 0 ? "Type and press Enter" : undefined}
        splitChars={[]}
        acceptValueOnBlur
        disabled={disabled}
        value={draft.tags}
        error={
          Object.entries(errors)
            .filter(([place]) => place.startsWith("/tags"))
            .map(([, message]) => message)
            .join(" ") || null
        }
        onChange={(tags) => onChange({ tags })}
      />
      {example === null ? null : <Provenance projectId={projectId} example={example} reviewer={reviewer} />}
    </section>
  );
}

type ProvenanceProps = { projectId: string; example: Example; reviewer: NamedActor | null };

/** Where an Example came from. */
function Provenance({ projectId, example, reviewer }: ProvenanceProps) {
  const { source, objective } = example;
  return (
    <section>
      <h2 className={classes.heading}>Where it came from</h2>
      <DataList size="sm" gap={6} labelWidth={110}>
        <Fact label="Source">{SOURCES[source.kind]}</Fact>
        {source.externalRef === null ? null : (
          <Fact label="Reference" mono>
            {source.externalRef}
          </Fact>
        )}
        {objective === null ? null : <Fact label="Objective">{OBJECTIVES[objective].name}</Fact>}
        <Links projectId={projectId} example={example} />
        {reviewer === null ? null : <Fact label="Reviewed by">{actorWords(reviewer)}</Fact>}
        <Fact label="Tokens">About {formatCount(example.tokens)}</Fact>
        <Fact label="Created">
          <ExactTime at={example.createdAt} />
        </Fact>
        <Fact label="Updated">
          <ExactTime at={example.updatedAt} />
        </Fact>
        <Fact label="ID">
          <IdText id={example.id} />
        </Fact>
      </DataList>
    </section>
  );
}

type LinksProps = { projectId: string; example: Example };

function Links({ projectId, example: { conversationId, turn, findingId } }: LinksProps) {
  const may = useMay("models:manage");
  return (
    <>
      {conversationId === null ? null : (
        <Fact label="Conversation">
          <Link
            href={`/p/${projectId}/conversations/${encodeURIComponent(conversationId)}${turn === null ? "" : `#m-${turn}`}`}
          >
            {turn === null ? "Open" : `Message ${turn}`}
          </Link>
          {may && turn !== null ? (
            <div>
              <TryFix projectId={projectId} conversationId={conversationId} messageIndex={turn} />
            </div>
          ) : null}
        </Fact>
      )}
      {findingId === null ? null : (
        <Fact label="Finding">
          <Link href={`/p/${projectId}/findings/${encodeURIComponent(findingId)}`}>Open</Link>
        </Fact>
      )}
    </>
  );
}
