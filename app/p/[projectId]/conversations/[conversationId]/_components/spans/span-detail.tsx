import { DataList } from "@mantine/core";
import { ExactTime } from "@/app/_components/values/exact-time";
import { Fact } from "@/app/_components/values/fact";
import { IdText } from "@/app/_components/values/id-text";
import { JsonView } from "@/app/_components/values/json-view";
import { formatDuration, plural } from "@/app/_lib/format";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { LogList } from "./log-list";
import { SpanMessages } from "./span-messages";
import classes from "./spans-tab.module.css";

const asText = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
const LONG = 160;

type Props = {
  projectId: string;
  conversationId: string;
  traceId: string;
  span: RouterOutputs["traces"]["spans"]["spans"][number];
  hasLogs: boolean;
  onMessage: (index: number) => void;
};

/** A span as it was received and how it was read. */
export function SpanDetail({ projectId, conversationId, traceId, span, hasLogs, onMessage }: Props) {
  const unmapped = new Set(span.unmapped);
  const attributes = Object.entries(span.attributes).sort(([a], [b]) => (a < b ? -1 : 1));
  return (
    <div className={classes.detail}>
      <DataList size="xs" gap={4} labelWidth={104}>
        <Fact label="Read as">
          {span.type}
          {span.counted ? ", counted as a model call" : ", not counted as a model call"}
        </Fact>
        <Fact label="Status">{span.status}</Fact>
        <Fact label="Started">
          <ExactTime at={span.startedAt} />
        </Fact>
        <Fact label="Duration">{formatDuration(span.endedAt - span.startedAt)}</Fact>
        <Fact label="Span">
          <IdText id={span.spanId} what="span id" />
        </Fact>
        <Fact label="Parent">
          {span.parentSpanId === null ? "none" : <IdText id={span.parentSpanId} what="parent id" />}
        </Fact>
        <Fact label="Messages">
          <SpanMessages
            projectId={projectId}
            conversationId={conversationId}
            spanId={span.spanId}
            onMessage={onMessage}
          />
        </Fact>
        <Fact label="Scope">
          <span className="mono">{`${span.scope.name} ${span.scope.version}`.trim() || "none"}</span>
        </Fact>
      </DataList>
      <h3>{plural(attributes.length, "attribute")}</h3>
      {unmapped.size > 0 ? (
        <p className={classes.note}>
          {plural(unmapped.size, "is", "are")} stored as sent but not interpreted: marked <em>unmapped</em>.
        </p>
      ) : null}
      <dl className={classes.attributes}>
        {attributes.map(([name, value]) => (
          <div key={name}>
            <dt className="mono">
              {name}
              {unmapped.has(name) ? <span className={classes.unmapped}>unmapped</span> : null}
            </dt>
            <dd>
              {asText(value).length > LONG ? (
                <JsonView value={value} label={name} />
              ) : (
                <span className="mono">{asText(value) || "(empty)"}</span>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {span.events.length > 0 ? (
        <>
          <h3>{plural(span.events.length, "event")}</h3>
          {span.events.map((event, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: events of a span keep their order
            <details key={index} className={classes.event}>
              <summary>
                <span className="mono">{event.name}</span> +{formatDuration(event.at - span.startedAt)}
              </summary>
              <JsonView value={event.attributes} label={`event ${event.name}`} />
            </details>
          ))}
        </>
      ) : null}
      {hasLogs ? (
        <>
          <h3>Log records</h3>
          <LogList projectId={projectId} traceId={traceId} spanId={span.spanId} since={span.startedAt} />
        </>
      ) : null}
      <h3>Resource</h3>
      <JsonView value={span.resource} label="resource" />
      <details className={classes.event}>
        <summary>Raw JSON</summary>
        <JsonView value={span} label="span as JSON" />
      </details>
    </div>
  );
}
