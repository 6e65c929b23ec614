/** GitHub's headers with the calls that are left and with the end of the limit. */
export const LIMIT_HEADERS = { remaining: "x-ratelimit-remaining", reset: "x-ratelimit-reset" };
