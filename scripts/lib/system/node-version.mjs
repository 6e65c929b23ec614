// No imports and no new syntax here: the Node versions that this rejects must be able to parse it.
const OLDEST = [20, 19];

export function nodeProblem(version) {
  const [major, minor] = version.split(".").map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return undefined;
  return `Whetstone needs Node.js ${OLDEST.join(".")} or later; this is ${version}. Install a current one from https://nodejs.org, then retry.`;
}

export function requireNode() {
  const problem = nodeProblem(process.versions.node);
  if (!problem) return;
  console.error(problem);
  process.exit(1);
}
