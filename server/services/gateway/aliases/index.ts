export { createGatewayAlias } from "./create-alias";
export { deleteGatewayAlias } from "./delete-alias";
export { getGatewayAlias, listGatewayAliases } from "./list-aliases";
export { updateGatewayAlias } from "./update-alias";
