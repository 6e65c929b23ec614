"use client";
import { PageHeader } from "@/app/_components/page-header";
import classes from "./account.module.css";
import { Leave } from "./leave";
import { Name } from "./name";
import { Password } from "./password";
import { Sessions } from "./sessions";

export function Account({ projectId }: { projectId: string }) {
  return (
    <>
      <PageHeader title="Account" />
      <div className={classes.body}>
        <section className={classes.section}>
          <h2>Name</h2>
          <Name />
        </section>
        <section className={classes.section}>
          <h2>Password</h2>
          <Password />
        </section>
        <section className={classes.section}>
          <h2>Signed-in browsers</h2>
          <Sessions />
        </section>
        <section className={classes.section}>
          <h2>This project</h2>
          <Leave projectId={projectId} />
        </section>
      </div>
    </>
  );
}
