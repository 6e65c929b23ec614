import { Text } from "@mantine/core";
import { JsonView } from "@/app/_components/json-view";
import { formatExact } from "@/app/_lib/format";
import type { AuditEntry } from "@/server/services/audit/schemas";
import classes from "./audit-log.module.css";

const DOORS: Record<string, string> = {
  rest: "the REST interface",
  trpc: "the workbench",
  page: "the workbench",
  cli: "the command line",
  job: "a background job",
};

/** One change whole: before beside after, and from where it came. */
export function Change({ entry }: { entry: AuditEntry }) {
  const { before, after, door, address, requestId, actor, createdAt } = entry;
  const facts = [
    formatExact(createdAt),
    door && `by ${DOORS[door] ?? door}`,
    address && `from ${address}`,
    actor.sessionId && `session ${actor.sessionId}`,
    requestId && `request ${requestId}`,
  ];
  return (
    <>
      <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
        {facts.filter(Boolean).join(" · ")}
      </Text>
      <div className={classes.change}>
        {before ? (
          <div>
            <Text size="xs">Before</Text>
            <JsonView value={before} label="before" />
          </div>
        ) : null}
        {after ? (
          <div>
            <Text size="xs">After</Text>
            <JsonView value={after} label="after" />
          </div>
        ) : null}
      </div>
    </>
  );
}
