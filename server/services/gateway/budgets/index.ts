export { createGatewayBudget } from "./create-budget";
export { deleteGatewayBudget } from "./delete-budget";
export { deleteOldSpending } from "./delete-old-spending";
export { getGatewayBudget, listGatewayBudgets } from "./list-budgets";
export { updateGatewayBudget } from "./update-budget";
