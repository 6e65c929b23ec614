import { ServiceError, unprocessable } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { readVersion } from "./prompts";
import { FILLED_MAX, filledCharacters, filledPrompt, renderPromptInput, renderPromptReply } from "./schemas";

export const renderPrompt = verb(
  {
    name: "prompts.render",
    summary: "Read a version of a prompt with its variables replaced.",
    description: `Each \`{{name}}\` is replaced by its value as it is, in one pass: nothing is escaped, and variables inside of values are text. A variable without a value is a 422 that names it, and so is a result of more than ${FILLED_MAX.toLocaleString("en")} characters. The version is chosen as by \`GET\`.`,
    effect: "read",
    capability: "workspace:read",
    input: renderPromptInput,
    reply: renderPromptReply,
  },
  async (ctx, { variables, ...wanted }) => {
    const { name, version, kind, content, variables: names } = await readVersion(ctx, wanted);
    const missing = names.filter((one) => !Object.hasOwn(variables, one));
    if (missing.length > 0)
      throw new ServiceError("unprocessable", `No value was sent for: ${missing.join(", ")}.`, {
        errors: missing.map((one) => ({ path: `/variables/${one}`, message: "Send a value for this variable." })),
      });
    if (filledCharacters(content, variables) > FILLED_MAX)
      throw unprocessable("/variables", `The result has more than ${FILLED_MAX.toLocaleString("en")} characters.`);
    return { name, version, kind, content: filledPrompt(content, variables) };
  },
);
