import "server-only";

export { createRateLimiter, type Limit, type RateLimiter } from "./limiter";
export { ingestLimits, limitHeaders, requestLimits } from "./limits";
