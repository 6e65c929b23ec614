import { ExactTime } from "@/app/_components/values/exact-time";

export const NextRun = ({ at }: { at: number }) => (
  <>
    Older data is deleted in the next daily run, <ExactTime at={at} />.
  </>
);
