import { Text } from "@mantine/core";
import Link from "next/link";
import { CopyButton } from "@/app/_components/controls/copy-button";
import { fieldChanges } from "@/app/_components/values/field-changes";
import { FieldDiff } from "@/app/_components/values/field-diff";
import { formatExact } from "@/app/_lib/format";
import type { AuditEntry } from "@/server/services/audit/schemas";
import { doorWords } from "../../_components/audit/audit-words";
import classes from "./change.module.css";

type Props = {
  entry: AuditEntry;
  /** The page of the changed thing. */
  href: string | null;
};

/** A whole change: old and new values field by field, and the client it came from. */
export function Change({ entry, href }: Props) {
  const { door, address, requestId, actor, createdAt, action, target } = entry;
  const facts = [
    ["Exact time", formatExact(createdAt)],
    ["Operation", action],
    ["Via", doorWords(door)],
    ["Address", address],
    ["Object", target && `${target.type} ${target.id}`],
    ["Session", actor.sessionId],
    ["Request", requestId],
  ].filter((fact): fact is [string, string] => typeof fact[1] === "string");
  const changes = fieldChanges(entry.before, entry.after);
  return (
    <div className={classes.root}>
      {changes.length > 0 ? (
        <FieldDiff changes={changes} />
      ) : (
        <Text size="xs" c="dimmed">
          No details of the change were recorded.
        </Text>
      )}
      <dl className={classes.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <span className="mono">{name === "Object" && href ? <Link href={href}>{value}</Link> : value}</span>
              {name === "Request" ? <CopyButton value={value} label="Copy request ID" /> : null}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
