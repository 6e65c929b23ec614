/** GitHub's headers for the number of calls left and for the time when the limit resets. */
export const LIMIT_HEADERS = { remaining: "x-ratelimit-remaining", reset: "x-ratelimit-reset" };
