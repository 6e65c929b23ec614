import { readFileSync } from "node:fs";
import { readLabelled, snapshotFromLabelled, diagnoseSnapshot } from "@/server/services/diagnostics/labelled";
const show = process.argv[2];
const { conversations } = readLabelled(readFileSync(`/work/shared/data/diagnostics/langconf.dev.jsonl`,"utf8"));
let r={tp:0,fp:0,fn:0,tn:0}; const latin: Record<string,number>={}; let n=0;
for (const c of conversations) {
  const s = diagnoseSnapshot(snapshotFromLabelled(c)).filter(s=>s.name==="language_mismatch"&&s.verdict==="match")[0];
  const g = (c.labels as any).script_mismatch;
  const out=()=>console.log((c.labels as any).expected_language,(c.labels as any).task,"\n  U:",String(c.messages[0]!.content).slice(0,150).replace(/\n/g," / "),"...",String(c.messages[0]!.content).slice(-100).replace(/\n/g," / "),"\n  A:",String(c.messages[1]!.content).slice(0,200).replace(/\n/g," / "));
  if (g===null) { if(s){n++; latin[(c.labels as any).expected_language]=(latin[(c.labels as any).expected_language]??0)+1; if(show==="latin")out(); } else if (show==="latinmiss") out(); continue; }
  if(g&&s)r.tp++; else if(g){r.fn++; if(show==="fn")out();} else if(s){r.fp++; if(show==="fp")out();} else r.tn++;
}
console.log(r, n, latin);
