import type { ListedBudget } from "@/server/services/gateway/budgets/schemas";

type Named = Pick<ListedBudget, "scope" | "keyName">;

/** Whose calls a budget limits. */
export const budgetName = ({ scope, keyName }: Named): string =>
  scope === "project" ? "The project" : scope === "user" ? "Each user" : `Key “${keyName ?? "deleted"}”`;

/** The same within a sentence. */
export const ofBudget = (budget: Named): string =>
  budget.scope === "key" ? `the ${budgetName(budget).replace("Key", "key")}` : budgetName(budget).toLowerCase();
