/** For tests: a promise that they resolve, for work that is to go on when they say so. */
export function newGate() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
