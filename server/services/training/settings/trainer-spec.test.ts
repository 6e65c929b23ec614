import { expect, test } from "vitest";
import { z } from "zod";
import { ADVANCED, BASIC, type SettingField } from "@/app/p/[projectId]/training/new/_components/setting-fields";
import { snakeCased } from "../jobs/job-spec";
import { evaluationSettings, limitSettings, loraSettings, outputSettings, trainingSettings } from "./schemas";
import trainer from "./trainer-spec.generated.json";

/** The parts of a spec, as the API accepts them and as the trainer does. */
const PARTS = {
  training: [trainingSettings, "Training"],
  lora: [loraSettings, "Lora"],
  evaluation: [evaluationSettings, "Evaluation"],
  limits: [limitSettings, "Limits"],
  output: [outputSettings, "Output"],
} as const;
type Part = keyof typeof PARTS;
/** The web app's own: the job's `metadata` has the first, and the export follows the job. */
const NOT_SENT = ["output.tokenizerPre", "output.export"];
/** The trainer's own, which nobody has needed to set. */
const NOT_OFFERED = ["evaluation.metric", "evaluation.samples.temperature", "limits.min_free_disk_bytes"];

type Json = { [key: string]: unknown };
const definitions = trainer.schema.$defs as unknown as Record<string, Json>;
const resolved = (schema: Json): Json =>
  typeof schema.$ref === "string" ? (definitions[schema.$ref.split("/").at(-1) as string] as Json) : schema;
const propertiesOf = (schema: Json) => resolved(schema).properties as Record<string, Json>;

const snake = (name: string) => Object.keys(snakeCased({ [name]: 1 }))[0] as string;

/** What a schema accepts, one entry a type. */
function alternatives(schema: Json): Json[] {
  const whole = resolved(schema);
  return Array.isArray(whole.anyOf) ? (whole.anyOf as Json[]).flatMap(alternatives) : [whole];
}
const valuesOf = (one: Json): unknown[] | undefined =>
  one.const !== undefined ? [one.const] : (one.enum as unknown[] | undefined);

const lowest = (one: Json) =>
  [(one.minimum ?? one.exclusiveMinimum ?? -Infinity) as number, "exclusiveMinimum" in one] as const;
const highest = (one: Json) =>
  [(one.maximum ?? one.exclusiveMaximum ?? Infinity) as number, "exclusiveMaximum" in one] as const;

/** Returns whether everything that `given` accepts is also accepted by `taking`. */
function isWithin(given: Json, taking: Json): boolean {
  const values = valuesOf(given);
  if (values)
    return values.every(
      (value) => valuesOf(taking)?.includes(value) || (!valuesOf(taking) && typeof value === taking.type),
    );
  if (valuesOf(taking)) return false;
  if (given.type === "object") return true;
  if (given.type === "array") return taking.type === "array" && accepts(given.items as Json, taking.items as Json);
  if (given.type !== taking.type && !(given.type === "integer" && taking.type === "number")) return false;
  if (given.type !== "integer" && given.type !== "number") return true;
  const [[low, isAbove], [high, isBelow]] = [lowest(given), highest(given)];
  const [[floor, excludesFloor], [ceiling, excludesCeiling]] = [lowest(taking), highest(taking)];
  return (
    (low > floor || (low === floor && (isAbove || !excludesFloor))) &&
    (high < ceiling || (high === ceiling && (isBelow || !excludesCeiling)))
  );
}
const accepts = (given: Json, taking: Json): boolean =>
  alternatives(given).every((one) => alternatives(taking).some((other) => isWithin(one, other)));

/** Every setting of a part, those of its objects too: its path, the API's schema and the trainer's. */
function settingsOf(
  path: string,
  given: Record<string, Json>,
  taking: Record<string, Json>,
): [string, Json, Json | undefined][] {
  return Object.entries(given).flatMap(([name, schema]): [string, Json, Json | undefined][] => {
    const other = taking[snake(name)];
    const inner = alternatives(schema).find(({ type }) => type === "object");
    if (inner && other && !NOT_SENT.includes(`${path}.${name}`)) {
      return settingsOf(`${path}.${name}`, propertiesOf(inner), propertiesOf(other));
    }
    return [[`${path}.${name}`, schema, other]];
  });
}
const SETTINGS = Object.entries(PARTS).flatMap(([part, [schema, name]]) =>
  settingsOf(
    part,
    propertiesOf(z.toJSONSchema(schema, { io: "input" }) as Json),
    propertiesOf(definitions[name] as Json),
  ),
);

test.each(SETTINGS.filter(([path]) => !NOT_SENT.includes(path)))(
  "%s: the API accepts nothing that the trainer refuses",
  (_, given, taking) => {
    expect(taking).toBeDefined();
    expect(accepts(given, taking as Json)).toBe(true);
  },
);

test("the comparison finds each kind of difference", () => {
  const number = (more: object) => ({ type: "number", ...more }) as Json;
  const differ: [Json, Json][] = [
    [number({ minimum: 0, maximum: 1 }), number({ minimum: 0, exclusiveMaximum: 1 })],
    [number({ minimum: 0 }), number({ exclusiveMinimum: 0 })],
    [number({ maximum: 2 }), number({ maximum: 1 })],
    [number({}), { type: "integer" }],
    [{ anyOf: [number({}), { const: "auto" }] }, number({})],
    [{ enum: ["a", "b"] }, { enum: ["a"] }],
    [{ type: "string" }, { enum: ["a"] }],
    [
      { type: "array", items: { enum: ["a", "b"] } },
      { type: "array", items: { enum: ["a"] } },
    ],
  ];
  for (const [given, taking] of differ) {
    expect([accepts(given, taking), accepts(taking, taking)]).toEqual([false, true]);
  }
});

test("every setting of the trainer can be set, but for its own", () => {
  const offered = new Set(SETTINGS.map(([path]) => path.split(".").map(snake).join(".")));
  const all = (path: string, schema: Json): string[] =>
    Object.entries(propertiesOf(schema)).flatMap(([name, inner]) =>
      resolved(inner).properties ? all(`${path}.${name}`, inner) : [`${path}.${name}`],
    );
  const known = Object.entries(PARTS).flatMap(([part, [, name]]) => all(part, definitions[name] as Json));
  expect(known.filter((path) => !offered.has(path))).toEqual(NOT_OFFERED);
});

const schemaOf = ({ part, name }: SettingField) => (PARTS[part as Part][0].shape as Record<string, z.ZodType>)[name];
const asSet = ({ name, kind }: SettingField, value: string | number) =>
  kind === "choice" && name === "r" ? Number(value) : value;

test.each([...BASIC, ...ADVANCED].map((field) => [`${field.part}.${field.name}`, field] as const))(
  "%s: the form's limits and choices are accepted",
  (_, field) => {
    const offered = [field.min, field.max, ...(field.choices ?? []).map(({ value }) => value)];
    for (const value of offered.filter((one) => one !== undefined)) {
      expect(schemaOf(field)?.safeParse(asSet(field, value)).success, String(value)).toBe(true);
    }
  },
);

/** Returns the default of a field as the trainer has it, in the form's words; `null` if the trainer derives it. */
function trainersDefault(
  field: SettingField,
  method: keyof typeof trainer.defaults,
  adapter: "lora" | "full",
): string | null {
  const { learning_rate, num_train_epochs } = trainer.defaults[method];
  const set = { learningRate: learning_rate[adapter], numTrainEpochs: num_train_epochs };
  const [, name] = PARTS[field.part as Part];
  const given = propertiesOf(definitions[name] as Json)[snake(field.name)]?.default;
  const value = field.part === "training" ? (set[field.name as keyof typeof set] ?? given) : given;
  if (value === undefined || value === null || value === "auto") return null;
  if (typeof value === "boolean") return value ? "yes" : "no";
  const choice = field.choices?.find((one) => one.value === String(value));
  return choice ? choice.label.toLowerCase() : String(value);
}

test("the form shows the trainer's defaults", () => {
  const numbers = /^[\d.e-]+$/;
  for (const method of ["sft", "dpo", "orpo", "kto"] as const) {
    for (const adapter of ["lora", "full"] as const) {
      for (const field of [...BASIC, ...ADVANCED]) {
        const shown = typeof field.byDefault === "string" ? field.byDefault : field.byDefault({ method, adapter });
        const expected = trainersDefault(field, method, adapter);
        if (expected === null) expect(shown, field.name).not.toMatch(numbers);
        else
          expect(numbers.test(shown) ? Number(shown) : shown, field.name).toEqual(
            numbers.test(expected) ? Number(expected) : expected,
          );
      }
    }
  }
});
