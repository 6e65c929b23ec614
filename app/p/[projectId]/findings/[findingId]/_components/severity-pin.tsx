"use client";
import { Menu, UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconPin } from "@tabler/icons-react";
import { Severity } from "@/app/p/[projectId]/_components/findings/severity";
import type { Finding } from "@/server/services/diagnostics/schemas";
import classes from "./finding-page.module.css";
import type { Review } from "./use-review";

/** The severity, which a reader who may review can pin, or reset to that of the Rules. */
export function SeverityPin({ finding, review }: { finding: Finding; review: Review }) {
  const pins = review.choices.filter(({ group }) => group === "Severity");
  const isPinned = finding.pinnedSeverity !== null;
  const shown = (
    <>
      <Severity value={finding.severity} />
      {isPinned ? <IconPin size={13} aria-label="Pinned" /> : null}
    </>
  );
  if (pins.length === 0) return <span className={classes.severity}>{shown}</span>;
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <UnstyledButton
          className={classes.severity}
          disabled={review.busy}
          title={isPinned ? "Pinned by hand" : "Set by the Rules"}
        >
          {shown}
          <IconChevronDown size={12} aria-label="Change the severity" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Pin the severity</Menu.Label>
        {pins.map((choice) => {
          const { severity } = choice.change;
          const isSet = !(choice.applies?.(finding) ?? true);
          return (
            <div key={choice.id}>
              {severity === null ? <Menu.Divider /> : null}
              <Menu.Item
                disabled={isSet}
                rightSection={isSet && severity !== null ? <IconPin size={13} aria-hidden /> : undefined}
                onClick={() => review.apply(finding, choice.id)}
              >
                {severity == null ? "Automatic: as the Rules rate it" : <Severity value={severity} />}
              </Menu.Item>
            </div>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
