/** Returns a promise and its resolver, for tests that release work at a chosen moment. */
export function newGate() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
