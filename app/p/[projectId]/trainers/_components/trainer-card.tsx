import { ActionIcon, Button, Progress, Text, Tooltip } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { InlineCode } from "@/app/_components/values/inline-code";
import { formatBytes, formatCount, plural } from "@/app/_lib/format";
import type { Trainer } from "@/server/services/trainers/schemas";
import classes from "./trainers.module.css";

type Props = { trainer: Trainer; onNewKey: (() => void) | undefined; onRemove: (() => void) | undefined };

/** One machine: whether it is online, its hardware, what it is doing, and what it cannot do. */
export function TrainerCard({ trainer, onNewKey, onRemove }: Props) {
  const { id, name, online, version, jobsRunning, diskFreeBytes, diskUsedBytes, lastSeenAt, error, keyHint } = trainer;
  const facts = [
    ...(keyHint === null ? [] : [`Key …${keyHint}`]),
    ...(version === null ? [] : [`version ${version}`]),
    ...(diskUsedBytes === null ? [] : [`${formatBytes(diskUsedBytes)} of disk used`]),
    ...(diskFreeBytes === null ? [] : [`${formatBytes(diskFreeBytes)} of disk free`]),
  ];
  return (
    <article className={classes.card} aria-labelledby={`trainer-${id}`}>
      <div className={classes.head}>
        <h2 className={classes.name} id={`trainer-${id}`} dir="auto">
          {name}
        </h2>
        {online ? (
          <Dot color="var(--state-ok)">{jobsRunning > 0 ? `Training ${formatCount(jobsRunning)}` : "Idle"}</Dot>
        ) : (
          <Dot color="var(--severity-critical)" hollow>
            {lastSeenAt === null ? "Never connected" : "Unreachable"}
          </Dot>
        )}
        {onNewKey === undefined ? null : (
          <Button size="compact-sm" variant="default" onClick={onNewKey}>
            New key…
          </Button>
        )}
        {onRemove === undefined ? null : (
          <Tooltip label="Remove">
            <ActionIcon aria-label={`Remove ${name}`} onClick={onRemove}>
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
      <Text size="xs" c="dimmed">
        {facts.join(" · ")}
        {lastSeenAt === null ? null : (
          <>
            {facts.length > 0 ? " · " : ""}
            seen <Ago at={lastSeenAt} />
          </>
        )}
      </Text>
      {error === null ? null : (
        <Text size="sm" c="var(--mantine-color-error)" style={{ overflowWrap: "anywhere" }}>
          <InlineCode text={error} />
        </Text>
      )}
      <Devices trainer={trainer} />
      <Abilities trainer={trainer} />
      <Unavailable trainer={trainer} />
      <Packages trainer={trainer} />
    </article>
  );
}

const PERCENT = 100;

function Devices({ trainer: { devices } }: { trainer: Trainer }) {
  if (devices.length === 0) return null;
  return (
    <section className={classes.part}>
      <h3>Devices</h3>
      <ul className={classes.list}>
        {devices.map(({ id, name, memoryTotal, memoryFree }) => {
          const used = memoryTotal !== null && memoryFree !== null ? memoryTotal - memoryFree : null;
          return (
            <li key={id}>
              {name}
              {memoryTotal === null ? null : (
                <>
                  {used === null ? null : (
                    <Progress
                      size="xs"
                      my={4}
                      value={(PERCENT * used) / memoryTotal}
                      aria-label={`Memory in use of ${name}`}
                    />
                  )}
                  <small className="tabular">
                    {used === null
                      ? `${formatBytes(memoryTotal)} of memory`
                      : `${formatBytes(used)} of ${formatBytes(memoryTotal)} of memory in use`}
                  </small>
                </>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Abilities({ trainer: { supports } }: { trainer: Trainer }) {
  const forms = [
    ...supports.formats.map((format) =>
      format === "gguf" ? `gguf in ${plural(supports.ggufQuantizations.length, "quantization")}` : format,
    ),
    ...supports.compressedQuantizations,
  ];
  if (supports.methods.length + supports.adapters.length + forms.length === 0) return null;
  return (
    <section className={classes.part}>
      <h3>Supported</h3>
      <ul className={classes.list}>
        <li>
          {supports.methods.join(", ")} with {supports.adapters.join(", ")}
          {forms.length === 0 ? null : <small title={supports.ggufQuantizations.join(", ")}>{forms.join(", ")}</small>}
        </li>
      </ul>
    </section>
  );
}

/** What it cannot do; features with the same reason are listed together. */
function Unavailable({ trainer: { unavailable } }: { trainer: Trainer }) {
  if (unavailable.length === 0) return null;
  const byReason = new Map<string, { features: string[]; reason: string; hint: string | null }>();
  for (const { feature, reason, hint } of unavailable) {
    const known = byReason.get(`${reason} ${hint}`);
    if (known) known.features.push(feature);
    else byReason.set(`${reason} ${hint}`, { features: [feature], reason, hint });
  }
  return (
    <section className={classes.part}>
      <h3>Not available</h3>
      <ul className={classes.list}>
        {[...byReason].map(([key, { features, reason, hint }]) => (
          <li key={key}>
            <span className="mono">{features.join(", ")}</span>: {reason}
            {hint === null ? null : (
              <small>
                <InlineCode text={hint} />
              </small>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Packages({ trainer: { packages } }: { trainer: Trainer }) {
  const known = Object.entries(packages).sort(([a], [b]) => a.localeCompare(b));
  if (known.length === 0) return null;
  return (
    <details className={classes.part}>
      <summary style={{ cursor: "pointer", fontSize: "var(--mantine-font-size-xs)" }}>
        {plural(known.length, "package")}
      </summary>
      <ul className={classes.list} style={{ gap: 0, marginBlockStart: 4 }}>
        {known.map(([name, version]) => (
          <li key={name} className="mono" style={{ fontSize: "var(--mantine-font-size-xs)" }}>
            {name} {version}
          </li>
        ))}
      </ul>
    </details>
  );
}
