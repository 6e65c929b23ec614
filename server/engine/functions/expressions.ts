import { Environment } from "@marcbachmann/cel-js";

/** The variables of an expression: the run's event and, for waits and cancellations, the incoming one. */
export type Scope = { event: object; async?: object };

export type Expression = { source: string; evaluate: (scope: Scope) => unknown };

// Lists may mix types, as in the Inngest server's dialect.
const CEL = new Environment({ homogeneousAggregateLiterals: false })
  .registerVariable("event", "map")
  .registerVariable("async", "map");

/** Compiles a CEL expression; throws if it is not supported, because guessing would run a function for the wrong event. */
export function compileExpression(source: string): Expression {
  const { valid, error } = CEL.check(source);
  if (!valid) throw new Error(`The expression \`${source}\` is not supported: ${firstLine(error)}.`, { cause: error });
  return { source, evaluate: CEL.parse(source) };
}

/** The following lines mark the position in the expression. */
const firstLine = (error: Error | undefined) => error?.message.split("\n")[0] ?? "it is not CEL";

/** Returns whether the condition holds. False if it reads a missing field or compares incompatible types. */
export function matches(condition: Expression | undefined, scope: Scope): boolean {
  if (!condition) return true;
  try {
    return condition.evaluate(scope) === true;
  } catch {
    return false;
  }
}

/** CEL integers are BigInts, which JSON cannot represent. */
const plain = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);

/** Returns the value as a key; a missing field has a key of its own. */
export function keyOf(expression: Expression | undefined, scope: Scope): string {
  if (!expression) return "";
  try {
    return JSON.stringify(expression.evaluate(scope), plain) ?? "null";
  } catch {
    return "null";
  }
}

/** Returns an integer between the bounds; 0 if the event does not allow computing it. */
export function numberOf(expression: Expression | undefined, scope: Scope, min: number, max: number): number {
  if (!expression) return 0;
  try {
    const value = Number(expression.evaluate(scope));
    return Number.isFinite(value) ? Math.round(Math.min(max, Math.max(min, value))) : 0;
  } catch {
    return 0;
  }
}
