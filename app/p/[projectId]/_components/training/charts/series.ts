/** The series of the training loss. */
export const LOSS = "train_loss";

type Unit = "number" | "rate" | "bytes" | "percent" | "scientific";
export type ChartKind = {
  id: string;
  title: string;
  unit: Unit;
  /** The series that it draws, in their order. */
  series: readonly string[];
};

/** The charts of a run. Charts without points are not shown; each series that is in no chart gets its own at the end. */
const CHARTS: readonly ChartKind[] = [
  { id: "loss", title: "Loss", unit: "number", series: [LOSS, "eval_loss"] },
  { id: "rewards", title: "Rewards", unit: "number", series: ["rewards_chosen", "rewards_rejected", "rewards_margin"] },
  {
    id: "eval_rewards",
    title: "Rewards, evaluation",
    unit: "number",
    series: ["eval_rewards_chosen", "eval_rewards_rejected", "eval_rewards_margin"],
  },
  {
    id: "preferred",
    title: "Preference accuracy",
    unit: "percent",
    series: ["rewards_accuracy", "eval_rewards_accuracy"],
  },
  { id: "kl", title: "KL divergence", unit: "number", series: ["kl"] },
  {
    id: "accuracy",
    title: "Token accuracy",
    unit: "percent",
    series: ["train_mean_token_accuracy", "eval_mean_token_accuracy"],
  },
  { id: "learning_rate", title: "Learning rate", unit: "scientific", series: ["learning_rate"] },
  { id: "grad_norm", title: "Gradient norm", unit: "number", series: ["grad_norm"] },
  { id: "throughput", title: "Tokens per second", unit: "rate", series: ["tokens_per_second"] },
  { id: "memory", title: "Memory", unit: "bytes", series: ["device_memory_used", "memory_used"] },
];
/** Returns the charts for these series, each with its series in order. */
export function chartsOf(names: readonly string[]): ChartKind[] {
  const left = new Set(names);
  const known = CHARTS.flatMap((chart) => {
    const series = chart.series.filter((name) => left.delete(name));
    return series.length === 0 ? [] : [{ ...chart, series }];
  });
  const others = [...left].sort().map((name): ChartKind => ({ id: name, title: name, unit: "number", series: [name] }));
  return [...known, ...others];
}

const NAMES: Record<string, string> = {
  train_loss: "Training",
  eval_loss: "Evaluation",
  rewards_chosen: "Chosen",
  rewards_rejected: "Rejected",
  rewards_margin: "Margin",
  eval_rewards_chosen: "Chosen",
  eval_rewards_rejected: "Rejected",
  eval_rewards_margin: "Margin",
  rewards_accuracy: "Training",
  eval_rewards_accuracy: "Evaluation",
  train_mean_token_accuracy: "Training",
  eval_mean_token_accuracy: "Evaluation",
  learning_rate: "Learning rate",
  grad_norm: "Gradient norm",
  tokens_per_second: "Tokens per second",
  kl: "KL divergence",
  device_memory_used: "Devices",
  memory_used: "Worker",
};
export const seriesWords = (name: string) => NAMES[name] ?? name;
