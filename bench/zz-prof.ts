import { readFileSync } from "node:fs";
import { readLabelled, snapshotFromLabelled } from "@/server/services/diagnostics/labelled";
import { RULES } from "@/server/services/diagnostics/rules";
import { textOf, proseOf, toolExchanges, toolFailures } from "@/server/services/diagnostics/detectors";
for (const f of ["tau2","agentrx","whowhen"]) {
const { conversations } = readLabelled(readFileSync(`/work/shared/data/diagnostics/${f}.dev.jsonl`,"utf8"));
const t: Record<string,number>={}; const time=(k:string,fn:()=>void)=>{const s=performance.now();fn();t[k]=(t[k]??0)+performance.now()-s;};
for(let r=0;r<3;r++) for (const c of conversations){ const s=snapshotFromLabelled(c); time("_text",()=>s.messages.forEach(textOf)); time("_prose",()=>s.messages.forEach(proseOf)); time("_ex",()=>toolExchanges(s)); time("_fail",()=>toolFailures(s)); for(const rule of RULES) for(const d of rule.detectors) time(d.signal,()=>d.detect(s,{keywords:[]})); }
console.log(f,Object.fromEntries(Object.entries(t).map(([k,v])=>[k,(v/3/conversations.length).toFixed(3)])));
}
