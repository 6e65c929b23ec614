import "server-only";

export { serveBaseModel } from "./serve-base-model";
export { requireBaseModel, startPlayground } from "./start-playground";
