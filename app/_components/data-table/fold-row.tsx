import { UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import classes from "./data-table.module.css";

type Props = {
  index: number;
  columns: number;
  height: number | undefined;
  open: boolean;
  onToggle: () => void;
  children: React.ReactNode;
};

/** The line that stands for folded rows. j and k stop at it, Enter opens and closes it. */
export function FoldRow({ index, columns, height, open, onToggle, children }: Props) {
  const Icon = open ? IconChevronDown : IconChevronRight;
  return (
    <tr aria-rowindex={index + 2} style={height === undefined ? undefined : { blockSize: height }}>
      <td colSpan={columns}>
        <UnstyledButton className={classes.foldButton} data-row={index} aria-expanded={open} onClick={onToggle}>
          <Icon size={14} aria-hidden />
          <span className="clip">{children}</span>
        </UnstyledButton>
      </td>
    </tr>
  );
}
