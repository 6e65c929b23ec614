import { z } from "zod";
import { SETTINGS } from "@/env";

const INTRODUCTION = `# Configuration

Environment variables, read once at the start; every invalid one is named. Generated from \`env.ts\` by \`npm run docs:configuration\`.
`;

const code = (value: unknown) => (value === undefined ? "" : `\`${String(value)}\``);

/** Returns what a variable may be, where its schema says so: `on`, `off`; `0` to `19`. */
function valuesOf({ enum: values, minimum, maximum }: { enum?: unknown[]; minimum?: number; maximum?: number }) {
  if (values) return values.map(code).join(", ");
  if (minimum === undefined || maximum === undefined || maximum === Number.MAX_SAFE_INTEGER) return "";
  return `${code(minimum)} to ${code(maximum)}`;
}

function rowOf([name, schema]: [string, z.ZodType]): string {
  const described = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Record<string, unknown>;
  // A number is read from text, whose schema has no bounds; the output's has.
  const values = valuesOf(z.toJSONSchema(schema, { io: "output", unrepresentable: "any" }) as never);
  const text = String(described.description ?? "").replaceAll("|", "\\|");
  return `| \`${name}\` | ${code(described.default) || "unset"} | ${values} | ${text} |`;
}

/** Returns the text of `docs/configuration.md`. */
export const configuration = (): string =>
  [
    INTRODUCTION,
    ...Object.entries(SETTINGS).map(([heading, variables]) =>
      [
        `## ${heading}\n`,
        "| Variable | Default | Values | |",
        "|---|---|---|---|",
        ...Object.entries(variables).map(rowOf),
        "",
      ].join("\n"),
    ),
  ].join("\n");
