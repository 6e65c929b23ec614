import Link from "next/link";
import { Ago } from "@/app/_components/values/ago";
import { plural } from "@/app/_lib/format";
import type { Variant } from "@/server/services/proof/variants/schemas";
import { deploymentHref } from "../../../_components/training/hrefs";
import { parametersOf } from "../../../_components/variants/change-words";
import { PromptChange } from "../../../_components/variants/variant-change";
import classes from "./variant-page.module.css";

/** What a variant changes of a recorded request. */
export function VariantFacts({ projectId, variant }: { projectId: string; variant: Variant }) {
  const {
    model,
    connectionName,
    deploymentId,
    baseModel,
    note,
    findingId,
    basedOn,
    systemPrompt,
    toolDescriptions,
    createdAt,
  } = variant;
  const parameters = parametersOf(variant);
  const tools = Object.entries(toolDescriptions);
  const seen = variant.seenConversationIds.length;
  return (
    <>
      {note === "" ? null : (
        <p className={classes.note} dir="auto">
          {note}
        </p>
      )}
      <p className={classes.facts}>
        <span>
          Model: <span className="mono">{model}</span>
        </span>
        {baseModel ? (
          <span>
            A trainer’s base model{baseModel.revision === null ? "" : `, revision ${baseModel.revision}`}: it is tried
            and proven, and takes no traffic
          </span>
        ) : deploymentId === null ? (
          <span>Connection: {connectionName ?? "deleted"}</span>
        ) : (
          <span>
            Answered by <Link href={deploymentHref(projectId, deploymentId)}>a deployment</Link>
          </span>
        )}
        {parameters.length === 0 ? null : <span>Parameters: {parameters.join(", ")}</span>}
        {findingId === null ? null : (
          <span>
            Written for a{" "}
            <Link href={`/p/${encodeURIComponent(projectId)}/findings/${encodeURIComponent(findingId)}`}>Finding</Link>
          </span>
        )}
        {seen === 0 ? null : <span>Written with {plural(seen, "conversation")}, which proofs leave out</span>}
        <span>
          Saved <Ago at={createdAt} />
        </span>
      </p>
      <section aria-label="System prompt">
        <h2 className={classes.heading}>System prompt</h2>
        {systemPrompt === null ? (
          <p className={classes.quiet}>As recorded.</p>
        ) : (
          <>
            <PromptChange basedOn={basedOn} systemPrompt={systemPrompt} />
            {basedOn === null ? <p className={classes.quiet}>It replaces whatever is recorded.</p> : null}
          </>
        )}
      </section>
      {tools.length === 0 ? null : (
        <section aria-label="Descriptions of tools">
          <h2 className={classes.heading}>Descriptions of tools</h2>
          <dl className={classes.tools}>
            {tools.map(([name, description]) => (
              <div key={name}>
                <dt className="mono">{name}</dt>
                <dd dir="auto">{description}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
    </>
  );
}
