import type { Problems } from "./problems";
import { CHAT_KEYS, CHAT_LIMITS } from "./schemas";

const AT = "/input/tools";

/** Checks the tools of an input. Returns their names, or `undefined` if there are none or one is not readable. */
export function checkTools(value: unknown, problems: Problems): ReadonlySet<string> | undefined {
  if (value === undefined) return undefined;
  const tools = problems.array(value, AT, CHAT_LIMITS.tools, "Has no tool. Leave tools out.");
  if (!tools) return undefined;
  const names = new Set<string>();
  let readable = true;
  for (const [index, tool] of tools.entries()) {
    if (problems.full) break;
    const at = `${AT}/${index}`;
    const name = checkTool(tool, at, problems);
    if (name === undefined) readable = false;
    else if (names.has(name)) problems.add(`${at}/function/name`, "Another tool has this name. Give each its own.");
    else names.add(name);
  }
  return readable ? names : undefined;
}

/** Checks one tool and returns its name. */
function checkTool(value: unknown, at: string, problems: Problems) {
  const tool = problems.object(value, at, CHAT_KEYS.tool);
  if (!tool) return undefined;
  problems.literal(tool.type, `${at}/type`, "function");
  const declared = problems.object(tool.function, `${at}/function`, CHAT_KEYS.toolFunction);
  if (!declared) return undefined;
  const { description, parameters, strict } = declared;
  if (description !== undefined && typeof description !== "string") {
    problems.add(`${at}/function/description`, "Must be a string.");
  }
  if (parameters !== undefined) problems.object(parameters, `${at}/function/parameters`);
  if (strict !== undefined && strict !== null && typeof strict !== "boolean") {
    problems.add(`${at}/function/strict`, "Must be true, false or null.");
  }
  return problems.name(declared.name, `${at}/function/name`);
}
