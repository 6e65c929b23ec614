import Link from "next/link";
import { RuleName } from "../findings/rule-name";
import { ruleWords } from "../findings/rule-words";
import { thingHref } from "./thing-href";
import classes from "./things.module.css";

export type Thing = { type: string; id: string; name: string | null };

/** Returns what a thing is called: its name while it exists, else its id. */
export const calledOf = ({ type, id, name }: Thing) => name ?? (type === "rule" ? ruleWords(id) : id);

/** A thing's name, as a link if it has a page; without a name its id. */
export function ThingName({ projectId, thing }: { projectId: string; thing: Thing }) {
  const href = thingHref(projectId, thing);
  const called = thing.type === "rule" && thing.name === null ? <RuleName ruleId={thing.id} /> : calledOf(thing);
  const look = called === thing.id ? "mono" : undefined;
  return href ? (
    <Link href={href} prefetch={false} className={look ? `${classes.name} ${look}` : classes.name}>
      {called}
    </Link>
  ) : (
    <span className={look}>{called}</span>
  );
}
