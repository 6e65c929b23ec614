import { createDispatcher } from "./dispatcher";
import { OPERATIONS } from "./operations";

/** Handles every request to `/v1`. */
export const v1 = createDispatcher(OPERATIONS);
