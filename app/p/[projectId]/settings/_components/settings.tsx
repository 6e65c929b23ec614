"use client";
import { PageHeader } from "@/app/_components/page-header";
import { AutomaticDiagnosis } from "./automatic-diagnosis";
import { ProjectName } from "./project-name";
import classes from "./settings.module.css";

export function Settings({ projectId }: { projectId: string }) {
  return (
    <>
      <PageHeader title="Settings" />
      <div className={classes.body}>
        <section className={classes.section}>
          <h2>Project</h2>
          <ProjectName projectId={projectId} />
        </section>
        <section className={classes.section}>
          <h2>Diagnosis</h2>
          <AutomaticDiagnosis projectId={projectId} />
        </section>
      </div>
    </>
  );
}
