"use client";
import { Button, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import Link from "next/link";
import { useState } from "react";
import { formatCount, plural } from "@/app/_lib/format";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { useMay } from "../../_components/access/membership";
import classes from "./unpriced-models.module.css";
import { editHref, repricingsHref } from "./view";

const SHOWN = 3;
type Props = { projectId: string; models: RouterOutputs["modelPrices"]["usage"]["unpriced"] };

/** Models called without a known price, with the available actions. */
export function UnpricedModels({ projectId, models }: Props) {
  const may = useMay("model-pricing:write");
  const [all, setAll] = useState(false);
  if (models.length === 0) return null;
  const calls = models.reduce((sum, model) => sum + model.unpricedCalls, 0);
  return (
    <section className={classes.root} aria-label="Models without a price">
      <Text size="sm" className={classes.title}>
        <IconAlertTriangle size={14} aria-hidden />
        <span>
          {plural(calls, "call")} in the last 30 days {calls === 1 ? "has" : "have"} no known cost, because{" "}
          {models.length === 1 ? "the model lacks" : "a model lacks"} a price that covers the usage or{" "}
          {calls === 1 ? "the call" : "a call"} reported none.
        </span>
      </Text>
      <ul className={classes.list}>
        {(all ? models : models.slice(0, SHOWN)).map(({ model, provider, unpricedCalls, modelPriceId }) => (
          <li key={`${provider} ${model}`}>
            <span className="mono">{model}</span>
            <span className={classes.dim}>
              {provider === null ? "" : `${provider}, `}
              {plural(unpricedCalls, "call")}
            </span>
            {!may ? null : modelPriceId === null ? (
              <Link href={editHref(projectId, { model })} prefetch={false}>
                Set a price
              </Link>
            ) : (
              <Link href={repricingsHref(projectId, { model, range: "30d", only: "true" })} prefetch={false}>
                There is a price now: reprice
              </Link>
            )}
          </li>
        ))}
      </ul>
      {models.length > SHOWN ? (
        <Button variant="subtle" size="compact-xs" onClick={() => setAll(!all)} aria-expanded={all}>
          {all ? "Show fewer" : `${formatCount(models.length - SHOWN)} more`}
        </Button>
      ) : null}
    </section>
  );
}
