import { Environment } from "@marcbachmann/cel-js";

/** What an expression may look at: the event of the run, and for waits and cancellations the one that came in. */
export type Scope = { event: object; async?: object };

export type Expression = { source: string; evaluate: (scope: Scope) => unknown };

// Any mixture of types in a list, as the Inngest server's dialect has it.
const CEL = new Environment({ homogeneousAggregateLiterals: false })
  .registerVariable("event", "map")
  .registerVariable("async", "map");

/**
 * Compiles a CEL expression, or throws a sentence that names what is not supported: guessing would run a function
 * for the wrong event.
 */
export function compileExpression(source: string): Expression {
  const { valid, error } = CEL.check(source);
  if (!valid) throw new Error(`The expression \`${source}\` is not supported: ${firstLine(error)}.`, { cause: error });
  return { source, evaluate: CEL.parse(source) };
}

/** Below it the library draws where in the expression. */
const firstLine = (error: Error | undefined) => error?.message.split("\n")[0] ?? "it is not CEL";

/** Whether the condition holds. One that reads what the event does not have, or compares unlike things, does not. */
export function matches(condition: Expression | undefined, scope: Scope): boolean {
  if (!condition) return true;
  try {
    return condition.evaluate(scope) === true;
  } catch {
    return false;
  }
}

/** CEL's whole numbers are BigInts, which JSON has not. */
const plain = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);

/** The value as text, so that it can be a key; what the event does not have is one key of its own. */
export function keyOf(expression: Expression | undefined, scope: Scope): string {
  if (!expression) return "";
  try {
    return JSON.stringify(expression.evaluate(scope), plain) ?? "null";
  } catch {
    return "null";
  }
}

/** A number between the bounds; 0 where the event has nothing to compute it from. */
export function numberOf(expression: Expression | undefined, scope: Scope, min: number, max: number): number {
  if (!expression) return 0;
  try {
    const value = Number(expression.evaluate(scope));
    return Number.isFinite(value) ? Math.round(Math.min(max, Math.max(min, value))) : 0;
  } catch {
    return 0;
  }
}
