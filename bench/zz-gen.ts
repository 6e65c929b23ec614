import { generateLabelled, snapshotFromLabelled, diagnoseSnapshot } from "@/server/services/diagnostics/labelled";
const seen=new Set<string>();
for (const c of generateLabelled()) { for (const [sig,p] of Object.entries((c.labels as any).signals)) { const f=diagnoseSnapshot(snapshotFromLabelled(c)).filter(s=>s.name===sig); const m=f.some(s=>s.verdict==="match"); if (m!==p) { const k=sig+JSON.stringify(c.messages.at(-1)); if(seen.size<30&&!seen.has(k)){seen.add(k); console.log(sig,p,f.map(s=>[s.verdict,s.score]),JSON.stringify(c.messages.slice(-3)).slice(0,400));} } } }
