// @ts-check

/** Whether tests run with their full amounts (`npm run test:long`). The trainer's tests read the same variable. */
export const isLong = process.env.TEST_LONG === "1";

/** Returns how many of something a test uses: few enough for every change, or as many as `npm run test:long` is for. @param {number} usual @param {number} long */
export const amount = (usual, long) => (isLong ? long : usual);

/** How often a test kills a process. What is killed must go on for longer: with rows in chunks, at least 3 × chunk × KILLS. */
export const KILLS = amount(4, 20);
