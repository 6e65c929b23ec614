import { ExactTime } from "@/app/_components/values/exact-time";

export const NextRun = ({ at }: { at: number }) => (
  <>
    What is older is deleted with the next daily run, <ExactTime at={at} />.
  </>
);
