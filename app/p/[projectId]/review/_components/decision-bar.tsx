import { Button, Kbd } from "@mantine/core";
import { IconArrowBackUp } from "@tabler/icons-react";
import { DECISIONS, type DecisionId } from "./decisions";
import classes from "./review.module.css";

type Props = {
  /** There is a candidate to decide on. */
  ready: boolean;
  onDecide: (id: DecisionId) => void;
  /** Undefined if there is nothing to undo. */
  onUndo: (() => void) | undefined;
};

/** The decisions for the candidate, each with its key. */
export const DecisionBar = ({ ready, onDecide, onUndo }: Props) => (
  <div role="toolbar" aria-label="Decide" className={classes.bar}>
    {DECISIONS.map(({ id, key, label, icon: Icon }) => (
      <Button
        key={id}
        size="compact-sm"
        {...(id === "approve" ? {} : { variant: "default" })}
        leftSection={<Icon size={14} aria-hidden />}
        rightSection={<KeyHint>{key}</KeyHint>}
        aria-keyshortcuts={key}
        disabled={!ready}
        onClick={() => onDecide(id)}
      >
        {label}
      </Button>
    ))}
    <Button
      className={classes.undo}
      size="compact-sm"
      variant="default"
      leftSection={<IconArrowBackUp size={14} aria-hidden />}
      rightSection={<KeyHint>u</KeyHint>}
      aria-keyshortcuts="u"
      disabled={onUndo === undefined}
      onClick={onUndo}
    >
      Undo
    </Button>
  </div>
);

const KeyHint = ({ children }: { children: string }) => (
  <Kbd size="xs" aria-hidden visibleFrom="sm">
    {children}
  </Kbd>
);
