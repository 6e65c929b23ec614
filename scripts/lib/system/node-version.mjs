// No imports and no new syntax here: the Node versions that this rejects must be able to parse it.
const OLDEST = [20, 19];
/** The versions that are tested, as package.json and .nvmrc say. Older ones no longer get security fixes. */
const SUPPORTED = [22, 24];

const partsOf = (version) => version.split(".").map(Number);

export function nodeProblem(version) {
  const [major, minor] = partsOf(version);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return undefined;
  return `Whetstone needs Node.js ${SUPPORTED.join(" or ")}; this is ${version}. Install it from https://nodejs.org, then retry.`;
}

export function nodeAdvice(version) {
  const [major] = partsOf(version);
  if (major >= SUPPORTED[0]) return undefined;
  return `Node.js ${SUPPORTED.join(" or ")} is recommended; this is ${version}, which no longer gets security fixes.`;
}

export function requireNode() {
  const problem = nodeProblem(process.versions.node);
  if (!problem) return;
  console.error(problem);
  process.exit(1);
}

/** Refuses a version that cannot work, and says in a line what is recommended where an old one is used. */
export function requireRecommendedNode() {
  requireNode();
  const advice = nodeAdvice(process.versions.node);
  if (advice) console.warn(advice);
}
