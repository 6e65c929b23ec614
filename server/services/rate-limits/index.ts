import "server-only";

export { createRateLimiter, type Limit, type RateLimiter, workbenchLimiter } from "./limiter";
export { ingestLimits, limitHeaders, operationLimits, requestLimits } from "./limits";
