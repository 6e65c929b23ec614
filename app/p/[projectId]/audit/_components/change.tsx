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
        <FieldDiff changes={changes} />
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
