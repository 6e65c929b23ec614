/** Creates a wait that `wake` ends early. A wake-up before the wait is not lost. */
export function createPause() {
  let end: (() => void) | undefined;
  let woken = false;
  return {
    async wait(ms: number) {
      if (!woken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      end = undefined;
      woken = false;
    },
    wake() {
      woken = true;
      end?.();
    },
  };
}
