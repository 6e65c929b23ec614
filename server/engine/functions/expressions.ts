import { evaluate, parse } from "cel-js";

/** What an expression may look at: the event of the run, and for waits and cancellations the one that came in. */
export type Scope = { event: object; async?: object };

export type Expression = { source: string; evaluate: (scope: Scope) => unknown };

/** Only these of the library's macros are the same in the Inngest server's dialect. */
const FUNCTIONS = new Set(["has", "size"]);

const STRING = /"(?:[^"\n\\]|\\.)*"|'(?:[^'\n\\]|\\.)*'/g;
const BEYOND_THE_GRAMMAR = /[^\w\s.()[\]{}=!<>&|?:,+\-*/%]/;
const CALL = /([A-Za-z_]\w*)\s*\(/g;
const VARIABLE = /(?<![\w.]|\.\s)([A-Za-z_]\w*)/g;
const VARIABLES = new Set(["event", "async", "true", "false", "null", "in", ...FUNCTIONS]);

/**
 * Compiles a CEL expression, or throws a sentence that names what is not supported: guessing would run a function
 * for the wrong event. The library's lexer skips characters that it does not know, hence the checks before it.
 */
export function compileExpression(source: string): Expression {
  const refuse = (why: string) => {
    throw new Error(`The expression \`${source}\` is not supported: ${why}.`);
  };
  const bare = source.replace(STRING, '""').replaceAll('""', "");
  const strange = BEYOND_THE_GRAMMAR.exec(bare);
  if (strange) refuse(`the character ${JSON.stringify(strange[0])} is not part of CEL`);
  for (const [, name = ""] of bare.matchAll(CALL)) {
    if (name !== "in" && !FUNCTIONS.has(name)) refuse(`the function ${name}()`);
  }
  for (const [, name = ""] of bare.matchAll(VARIABLE)) {
    if (!VARIABLES.has(name)) refuse(`the variable ${name}`);
  }
  const parsed = parse(source);
  if (!parsed.isSuccess) return refuse(parsed.errors.join("; ")) as never;
  return { source, evaluate: (scope) => evaluate(parsed.cst, scope) };
}

/** Whether the condition holds. One that reads what the event does not have, or compares unlike things, does not. */
export function matches(condition: Expression | undefined, scope: Scope): boolean {
  if (!condition) return true;
  try {
    return condition.evaluate(scope) === true;
  } catch {
    return false;
  }
}

/** The value as text, so that it can be a key; what the event does not have is one key of its own. */
export function keyOf(expression: Expression | undefined, scope: Scope): string {
  if (!expression) return "";
  try {
    const value = expression.evaluate(scope);
    return JSON.stringify(value) ?? "null";
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
