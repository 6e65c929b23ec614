/** Returns the value at `x` and writes the gradient there. */
export type Objective = (x: Float64Array, gradient: Float64Array) => number;

const MEMORY = 6;
const ARMIJO = 1e-4;
const HALVINGS = 30;

/** Minimises a smooth convex function by L-BFGS with backtracking. Deterministic. */
export function minimise(objective: Objective, size: number, iterations: number, tolerance = 1e-4): Float64Array {
  let x: Float64Array = new Float64Array(size);
  let gradient: Float64Array = new Float64Array(size);
  let value = objective(x, gradient);
  const goal = tolerance * norm(gradient);
  const steps: { s: Float64Array; y: Float64Array; rho: number }[] = [];
  for (let iteration = 0; iteration < iterations && norm(gradient) > goal; iteration++) {
    const direction = descent(gradient, steps);
    const slope = dot(gradient, direction);
    let step = steps.length === 0 ? 1 / norm(gradient) : 1;
    let next = value;
    const to = new Float64Array(size);
    const gradientThere = new Float64Array(size);
    let halvings = 0;
    for (; halvings < HALVINGS; halvings++, step /= 2) {
      for (let at = 0; at < size; at++) to[at] = x[at]! + step * direction[at]!;
      next = objective(to, gradientThere);
      if (next <= value + ARMIJO * step * slope) break;
    }
    if (halvings === HALVINGS) break;
    const s = new Float64Array(size);
    const y = new Float64Array(size);
    for (let at = 0; at < size; at++) {
      s[at] = to[at]! - x[at]!;
      y[at] = gradientThere[at]! - gradient[at]!;
    }
    const curvature = dot(s, y);
    if (curvature > 1e-12) {
      steps.push({ s, y, rho: 1 / curvature });
      if (steps.length > MEMORY) steps.shift();
    }
    x = to;
    gradient = gradientThere;
    value = next;
  }
  return x;
}

function descent(gradient: Float64Array, steps: readonly { s: Float64Array; y: Float64Array; rho: number }[]) {
  const direction = gradient.map((each) => -each);
  const alphas: number[] = [];
  for (const { s, y, rho } of [...steps].reverse()) {
    const alpha = rho * dot(s, direction);
    alphas.unshift(alpha);
    addScaled(direction, y, -alpha);
  }
  const last = steps.at(-1);
  if (last) {
    const scale = 1 / (last.rho * dot(last.y, last.y));
    for (let at = 0; at < direction.length; at++) direction[at]! *= scale;
  }
  for (const [index, { s, y, rho }] of steps.entries()) {
    addScaled(direction, s, alphas[index]! - rho * dot(y, direction));
  }
  return direction;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!;
  return sum;
}
const norm = (a: Float64Array) => Math.sqrt(dot(a, a));
function addScaled(a: Float64Array, b: Float64Array, factor: number): void {
  for (let at = 0; at < a.length; at++) a[at]! += factor * b[at]!;
}
