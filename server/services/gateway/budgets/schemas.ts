import { z } from "zod";
import { BUDGET_SCOPES } from "@/db/schema/enumerations";
import { idInput, pageInput } from "@/server/platform/schemas";

/** Maximum budgets per project: every call of a model looks at all of them. */
export const BUDGETS_MAX = 200;
const DAILY_USD_MAX = 1_000_000;

const dailyUsd = z
  .number()
  .min(0.000_001)
  .max(DAILY_USD_MAX)
  .describe("What the calls may cost on one UTC day, in US dollars.")
  .meta({ examples: [20] });

const SCOPE =
  "Whose calls: all of the `project`, those of one `key`, or those of each `user` of the application, of whom each has the whole amount.";

const fields = {
  id: z.string().describe("Id of the budget."),
  scope: z.enum(BUDGET_SCOPES).describe(SCOPE),
  keyId: z.string().nullable().describe("The API key, for a budget of one."),
  dailyUsd,
  createdAt: z.number().describe("Unix milliseconds."),
  updatedAt: z.number().describe("Unix milliseconds."),
};
const budget = z.object(fields);

export const listedBudget = z.object({
  ...fields,
  keyName: z.string().nullable().describe("The key’s name, for a budget of one."),
  spentUsd: z
    .number()
    .describe("Spent today, including what calls in progress have reserved; for `user`, by the one who spent most."),
  users: z.int().nullable().describe("Users with calls today, for a budget of each."),
  resetsAt: z.number().describe("When the day ends, Unix milliseconds."),
});
export type ListedBudget = z.infer<typeof listedBudget>;

export const createGatewayBudgetInput = z
  .strictObject({
    scope: z.enum(BUDGET_SCOPES).describe(SCOPE),
    keyId: idInput.optional().describe("The API key, for a budget of one (and only then)."),
    dailyUsd,
  })
  .refine(({ scope, keyId }) => (scope === "key") === (keyId !== undefined), {
    message: "Is needed for a budget of a key, and for no other.",
    path: ["keyId"],
  })
  .meta({
    oneOf: [
      { properties: { scope: { const: "key" } }, required: ["scope", "keyId"] },
      { properties: { scope: { enum: ["project", "user"] }, keyId: false }, required: ["scope"] },
    ],
    examples: [{ scope: "project", dailyUsd: 20 }],
  });
export const gatewayBudgetIdInput = z.strictObject({ gatewayBudgetId: idInput });
export const updateGatewayBudgetInput = z.strictObject({ gatewayBudgetId: idInput, dailyUsd });
export const listGatewayBudgetsInput = z.strictObject(pageInput);
export const gatewayBudgetReply = z.object({ budget });
export const listedBudgetReply = z.object({ budget: listedBudget });
export const gatewayBudgetsReply = z.object({ budgets: z.array(listedBudget), nextCursor: z.string().nullable() });
