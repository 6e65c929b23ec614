"use client";
import { PageHeader } from "@/app/_components/layout/page-header";
import { ExploreSample } from "@/app/_components/projects/explore-sample";
import { useProject, useRights } from "../../_components/access/membership";
import { Arrival } from "./arrival";
import { Refused } from "./refused";
import classes from "./send-a-trace.module.css";
import { Snippets } from "./snippets/snippets-panel";

export function SendATrace({ projectId, endpoint }: { projectId: string; endpoint: string }) {
  const { sample } = useProject();
  const mayExplore = useRights().includes("projects:create") && sample === null;
  return (
    <>
      <PageHeader title="Send a trace" />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section className={classes.body} tabIndex={0} aria-label="Send a trace, scrollable">
        <div className={classes.column}>
          <p className={classes.intro}>
            Whetstone accepts OpenTelemetry over HTTP, as JSON or protobuf. Point your exporter at{" "}
            <span className="mono">{endpoint}</span>, or run one of these to see how a conversation looks here.
          </p>
          <Arrival projectId={projectId} />
          <Refused projectId={projectId} />
          {mayExplore ? <ExploreSample /> : null}
          <Snippets projectId={projectId} endpoint={endpoint} />
        </div>
      </section>
    </>
  );
}
