"use client";
import { Button, Group, Kbd, Menu, Tooltip } from "@mantine/core";
import {
  IconArchive,
  IconArrowBackUp,
  IconCheck,
  IconChevronDown,
  IconCircleCheck,
  IconUser,
} from "@tabler/icons-react";
import type { Finding } from "@/server/services/diagnostics/schemas";
import type { ReviewChoice } from "./review-choices";
import type { Review } from "./use-review";

type Props = { finding: Finding; review: Review };

const TIPS: Readonly<Record<string, string>> = {
  resolve: "Mark as fixed; it regresses if a later conversation shows it",
  unreview: "Send back to review",
};
const ICONS = {
  confirm: <IconCheck size={14} aria-hidden />,
  resolve: <IconCircleCheck size={14} aria-hidden />,
  unresolve: <IconCircleCheck size={14} aria-hidden />,
  unreview: <IconArrowBackUp size={14} aria-hidden />,
} as const;
type ButtonId = keyof typeof ICONS;

/** Review, resolution, dismissal and assignee of a Finding; renders nothing for readers who may not review. */
export function ReviewActions({ finding, review: { choices, apply, busy } }: Props) {
  const applying = choices.filter(({ applies }) => applies?.(finding) ?? true);
  if (applying.length === 0) return null;
  const run = (choice: ReviewChoice) => apply(finding, choice.id);
  const button = (id: ButtonId, primary = false) => {
    const choice = applying.find((one) => one.id === id);
    if (!choice) return null;
    const tip = TIPS[id] ?? choice.label;
    return (
      <Tooltip label={choice.key ? `${tip} (${choice.key})` : tip}>
        <Button
          {...(primary ? {} : { variant: "default" })}
          disabled={busy}
          leftSection={ICONS[id]}
          onClick={() => run(choice)}
        >
          {choice.label}
        </Button>
      </Tooltip>
    );
  };
  const isDismissed = finding.reviewStatus === "dismissed";
  const dismissals = applying.filter(({ group }) => group === "Dismiss");
  const dismiss = dismissals.find(({ id }) => id === "dismiss");
  return (
    <Group gap={6}>
      {button("confirm", true)}
      {button("resolve")}
      {button("unresolve")}
      <Button.Group>
        {dismiss ? (
          <Tooltip label={`Not a problem; keeps counting without alerts (${dismiss.key})`}>
            <Button
              variant="default"
              disabled={busy}
              leftSection={<IconArchive size={14} aria-hidden />}
              onClick={() => run(dismiss)}
            >
              Dismiss
            </Button>
          </Tooltip>
        ) : null}
        <Choices
          label={isDismissed ? "Change the reason" : "Dismiss for a reason"}
          choices={dismissals.filter((choice) => choice !== dismiss)}
          disabled={busy}
          onChoose={run}
          {...(isDismissed ? { shown: "Reason" } : {})}
        />
      </Button.Group>
      <Choices
        label="Assign"
        shown={finding.assigneeId === null ? "Assign" : (finding.assigneeName ?? "A former member")}
        icon={<IconUser size={14} aria-hidden />}
        choices={applying.filter(({ group }) => group === "Assign")}
        disabled={busy}
        onChoose={run}
      />
      {button("unreview")}
    </Group>
  );
}

type ChoicesProps = {
  label: string;
  /** Text on the button; without one it is only an arrow. */
  shown?: string;
  icon?: React.ReactNode;
  choices: readonly ReviewChoice[];
  disabled: boolean;
  onChoose: (choice: ReviewChoice) => void;
};

const Choices = ({ label, shown, icon, choices, disabled, onChoose }: ChoicesProps) => (
  <Menu position="bottom-end">
    <Menu.Target>
      <Button
        variant="default"
        disabled={disabled}
        aria-label={shown === undefined || shown === label ? label : `${label}: ${shown}`}
        {...(shown === undefined ? { px: 6 } : { rightSection: <IconChevronDown size={12} aria-hidden /> })}
        leftSection={icon}
      >
        {shown ?? <IconChevronDown size={14} aria-hidden />}
      </Button>
    </Menu.Target>
    <Menu.Dropdown mah={360} style={{ overflowY: "auto" }}>
      {choices.map((choice) => (
        <Menu.Item
          key={choice.id}
          rightSection={choice.key ? <Kbd size="xs">{choice.key}</Kbd> : undefined}
          onClick={() => onChoose(choice)}
        >
          {choice.label}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);
