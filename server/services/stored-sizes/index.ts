import "server-only";

export { getStorage, measuredRows, measureStorage, requestStorageMeasurement } from "./stored-sizes";
