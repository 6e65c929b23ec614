import "server-only";

export type { ConnectionClient } from "./connection-client";
export { createConnection } from "./create-connection";
export { deleteConnection } from "./delete-connection";
export { getConnection } from "./get-connection";
export { listConnections } from "./list-connections";
export { modelConnections } from "./model-connections";
export { openConnection } from "./open-connection";
export { testConnection } from "./test-connection";
export { updateConnection } from "./update-connection";
