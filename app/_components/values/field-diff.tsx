import { Group } from "@mantine/core";
import type { FieldChange } from "@/app/_components/values/field-changes";
import { formatExact } from "@/app/_lib/format";
import classes from "./field-diff.module.css";

const WORDS = { added: "new", removed: "gone", changed: "changed", same: "unchanged" } as const;
/** Fields of this kind hold Unix ms. */
const IS_TIME = /(^|\.)\w+At$/;

function shown(path: string, value: unknown) {
  if (value === null) return "none";
  if (typeof value === "number" && IS_TIME.test(path)) return formatExact(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Shows old and new values field by field. */
export function FieldDiff({ changes }: { changes: readonly FieldChange[] }) {
  return (
    <table className={classes.diff}>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <Field key={change.path} change={change} />
        ))}
      </tbody>
    </table>
  );
}

function Field({ change: { path, kind, before, after } }: { change: FieldChange }) {
  return (
    <tr data-kind={kind}>
      <th scope="row">
        <Group gap={6} wrap="nowrap" align="baseline">
          <span className="mono">{path}</span>
          <span className={classes.kind}>{WORDS[kind]}</span>
        </Group>
      </th>
      <td>{kind === "added" ? null : <del>{shown(path, before)}</del>}</td>
      <td>{kind === "removed" ? null : <ins>{shown(path, after)}</ins>}</td>
    </tr>
  );
}
