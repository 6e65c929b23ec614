"use client";
import { Button, Tour } from "@mantine/core";
import Link from "next/link";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import { useProjects } from "../../access/membership";
import { pageHref } from "../../shell/pages";
import { STOPS } from "./stops";
import { useReachedStop } from "./use-reached-stop";
import { useStops } from "./use-stops";

const LAST = STOPS.length - 1;

/** Offers a tour of the sample's own objects, page by page. Skipping it keeps the place, so that it can be continued. */
export function SampleTour({ projectId }: { projectId: string }) {
  const [reached, setReached] = useReachedStop(projectId);
  const { shown, isMoving, goTo, close } = useStops(projectId, setReached);
  const leave = () => {
    if (shown === LAST) setReached(null);
    close();
  };
  // Before the page's own keys: Escape leaves the tour, not the page.
  useKeys(
    shown === null
      ? {}
      : {
          [ESC]: (event) => {
            event.preventDefault();
            leave();
          },
        },
    { capture: true },
  );
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        loading={isMoving && shown === null}
        onClick={() => goTo(reached ?? 0)}
      >
        {reached === null ? "Take the tour" : `Continue the tour (${reached + 1} of ${STOPS.length})`}
      </Button>
      <Tour
        active={shown !== null}
        step={shown ?? 0}
        onStepChange={goTo}
        onClose={leave}
        closeOnEscape={false}
        withCloseButton={shown !== LAST}
        labels={{ close: shown === LAST ? "Finish" : "Leave the tour" }}
      >
        {STOPS.map(({ title, says, target }, stop) => (
          <Tour.Step key={title} target={target} title={title}>
            {says}
            {stop === LAST ? <SendYourOwn onGo={leave} /> : null}
          </Tour.Step>
        ))}
      </Tour>
    </>
  );
}

/** Leads from the sample to a project of the reader's own. */
function SendYourOwn({ onGo }: { onGo: () => void }) {
  const own = useProjects().find(({ sample }) => sample === null);
  return own ? (
    <>
      {" "}
      <Link href={pageHref(own.id, "send-a-trace")} onClick={onGo}>
        Send a trace of your own
      </Link>
      .
    </>
  ) : null;
}
