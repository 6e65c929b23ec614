import { Button, Menu } from "@mantine/core";
import type { Target } from "./view";

type Props = {
  /** Of both panes, in their order. */
  targets: readonly (Target | null)[];
  /** With the deployment that is to answer; `null`: another model is chosen later. */
  onSave: (deploymentId: string | null) => void;
};

const PANES = ["The first pane’s model", "The second pane’s model"];

/** Carries the prompt and parameters into a new variant; asks whose model it is for if both panes have a deployment. */
export function SaveAsVariant({ targets, onSave }: Props) {
  const deployed = targets.flatMap((target, at) =>
    target?.kind === "deployment" ? [{ id: target.id, words: PANES[at] ?? target.id }] : [],
  );
  const label = "Save as variant…";
  if (deployed.length < 2)
    return (
      <Button variant="default" onClick={() => onSave(deployed[0]?.id ?? null)}>
        {label}
      </Button>
    );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default">{label}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {deployed.map(({ id, words }) => (
          <Menu.Item key={words} onClick={() => onSave(id)}>
            {words}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
