import type { ComponentPropsWithoutRef } from "react";
import { isPlainClick } from "@/app/_lib/plain-click";

type Props = Omit<ComponentPropsWithoutRef<"a">, "href" | "onClick"> & {
  spanId: string;
  onSpan: (spanId: string) => void;
};

/** Links to a span of the same conversation; its URL also works elsewhere. */
export const SpanLink = ({ spanId, onSpan, ...props }: Props) => (
  <a
    {...props}
    href={`?tab=spans&span=${encodeURIComponent(spanId)}`}
    onClick={(event) => {
      if (!isPlainClick(event)) return;
      event.preventDefault();
      onSpan(spanId);
    }}
  />
);
