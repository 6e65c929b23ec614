import "server-only";

export { createRateLimiter, type Limit, RateLimited, type RateLimiter } from "./limiter";
export { ingestLimits, limitHeaders, requestLimits } from "./limits";
