import { Button, Menu } from "@mantine/core";
import type { VariantDraft } from "../../_components/variants/draft";
import type { Target } from "./view";

type Props = {
  /** Of both panes, in their order. */
  targets: readonly (Target | null)[];
  /** With what is to answer; `null`: another model is chosen later. */
  onSave: (asked: VariantDraft["asked"]) => void;
};

const PANES = ["The first pane’s model", "The second pane’s model"];

/** Carries the prompt and parameters into a new variant; asks whose model it is for if both panes have one that a variant can have. */
export function SaveAsVariant({ targets, onSave }: Props) {
  const usable = targets.flatMap((target, at) =>
    target === null || target.kind === "checkpoint"
      ? []
      : [{ asked: { kind: target.kind, id: target.id }, words: PANES[at] ?? target.id }],
  );
  const label = "Save as variant…";
  if (usable.length < 2)
    return (
      <Button variant="default" onClick={() => onSave(usable[0]?.asked ?? null)}>
        {label}
      </Button>
    );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default">{label}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {usable.map(({ asked, words }) => (
          <Menu.Item key={words} onClick={() => onSave(asked)}>
            {words}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
