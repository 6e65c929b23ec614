import { createDispatcher } from "./dispatcher";
import { OPERATIONS } from "./operations";

/** `/v1`, whole: answers any request to it. */
export const v1 = createDispatcher(OPERATIONS);
