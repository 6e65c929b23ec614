import { Group, Text } from "@mantine/core";
import Link from "next/link";
import { CopyButton } from "@/app/_components/copy-button";
import { type FieldChange, fieldChanges } from "@/app/_lib/field-changes";
import { formatExact } from "@/app/_lib/format";
import type { AuditEntry } from "@/server/services/audit/schemas";
import { doorWords } from "../../_components/audit-words";
import classes from "./change.module.css";

const WORDS = { added: "new", removed: "gone", changed: "changed", same: "unchanged" } as const;
/** Fields of this kind hold Unix ms. */
const IS_TIME = /(^|\.)\w+At$/;

function shown(path: string, value: unknown) {
  if (value === null) return "none";
  if (typeof value === "number" && IS_TIME.test(path)) return formatExact(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}

type Props = {
  entry: AuditEntry;
  /** Where what changed is seen. */
  href: string | null;
};

/** One change whole: field by field what it was and became, and from where it came. */
export function Change({ entry, href }: Props) {
  const { door, address, requestId, actor, createdAt, action, target } = entry;
  const facts = [
    ["Exactly", formatExact(createdAt)],
    ["Operation", action],
    ["By way of", doorWords(door)],
    ["Address", address],
    ["On", target && `${target.type} ${target.id}`],
    ["Session", actor.sessionId],
    ["Request", requestId],
  ].filter((fact): fact is [string, string] => typeof fact[1] === "string");
  const changes = fieldChanges(entry.before, entry.after);
  return (
    <div className={classes.root}>
      {changes.length > 0 ? (
        <table className={classes.diff}>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {changes.map((change) => (
              <Field key={change.path} change={change} />
            ))}
          </tbody>
        </table>
      ) : (
        <Text size="xs" c="dimmed">
          Nothing is told of what it changed.
        </Text>
      )}
      <dl className={classes.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <span className="mono">{name === "On" && href ? <Link href={href}>{value}</Link> : value}</span>
              {name === "Request" ? <CopyButton value={value} label="Copy request id" /> : null}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Field({ change: { path, kind, before, after } }: { change: FieldChange }) {
  return (
    <tr data-kind={kind}>
      <th scope="row">
        <Group gap={6} wrap="nowrap" align="baseline">
          <span className="mono">{path}</span>
          <span className={classes.kind}>{WORDS[kind]}</span>
        </Group>
      </th>
      <td>{kind === "added" ? null : <del>{shown(path, before)}</del>}</td>
      <td>{kind === "removed" ? null : <ins>{shown(path, after)}</ins>}</td>
    </tr>
  );
}
