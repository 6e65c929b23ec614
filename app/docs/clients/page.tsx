import type { Metadata } from "next";
import { CodeBlock } from "../_components/code-block";
import { ReferencePage } from "../_components/reference-page";
import { Words } from "../_components/words";
import { areasOf } from "../_lib/by-area";
import { CLIENT_EXAMPLES } from "../_lib/client-examples";
import { reference } from "../_lib/reference";

export const metadata: Metadata = { title: "Clients · API reference" };

/** How to install and use the clients of `/v1`. Works without scripts. */
export default function ClientsPage() {
  return (
    <ReferencePage areas={areasOf(reference())} current="clients">
      <h1>Clients</h1>
      <p>
        The packages <code>@whetstone/client</code> (TypeScript and JavaScript, Node 20 or later) and{" "}
        <code>whetstone</code> (Python 3.10 or later) have a method for each operation of this reference, generated from
        its schemas. <code>findings.list</code> is <code>whetstone.findings.list(…)</code> in TypeScript and{" "}
        <code>whetstone.findings_list(…)</code> in Python. Telemetry is sent with OpenTelemetry, and models are called
        with OpenAI&apos;s own packages.
      </p>
      <p>
        The packages are in no registry yet. In a clone of this version, <code>npm run clients</code> packs both; then:
      </p>
      <CodeBlock
        label="Installing a client"
        text={"npm install ./package/clients/*.tgz\npip install ./package/clients/*.whl"}
      />
      {CLIENT_EXAMPLES.map(({ title, about, typescript, python }) => (
        <section key={title}>
          <h2>{title}</h2>
          <p>
            <Words text={about} />
          </p>
          <CodeBlock label={`${title}, in TypeScript`} text={typescript} />
          <CodeBlock label={`${title}, in Python`} text={python} />
        </section>
      ))}
    </ReferencePage>
  );
}
