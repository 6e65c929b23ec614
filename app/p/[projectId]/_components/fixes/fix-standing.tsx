import { Dot } from "@/app/_components/values/dot";
import type { Fix } from "@/server/services/diagnostics/fixes/schemas";
import { standingOf } from "./words";

/** A fix's verdict, or that it waits for its first conversation. */
export function FixStanding({ fix }: { fix: Pick<Fix, "startedAt" | "verdict"> }) {
  const { word, color, hollow = false } = standingOf(fix);
  return (
    <Dot color={color} hollow={hollow}>
      {word}
    </Dot>
  );
}
