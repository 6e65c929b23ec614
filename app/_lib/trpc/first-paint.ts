import "server-only";
import { headers } from "next/headers";
import { cache } from "react";

/**
 * How long a document waits for its page's data before it shows the skeleton, in ms. React holds back what follows a skeleton
 * for 300 ms (`FALLBACK_THROTTLE_MS`), so one that is shown for data that take 100 ms makes three times as much of them.
 */
const WAIT_MS = 250;

const pageData = cache(() => {
  let markRead = () => {};
  const read = new Promise<void>((resolve) => {
    markRead = resolve;
  });
  return { read, markRead };
});

/** Says that the current render has read its page's data. */
export const markPageRead = () => pageData().markRead();

/** Waits until the page's data are read, `WAIT_MS` at most. A navigation within the application shows its skeleton at once. */
export async function waitForPage(): Promise<void> {
  const isDocument = (await headers()).get("accept")?.includes("text/html");
  if (!isDocument) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, WAIT_MS);
  });
  await Promise.race([pageData().read, late]);
  clearTimeout(timer);
}
