import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { OperationSection } from "../_components/operation-section";
import { ReferencePage } from "../_components/reference-page";
import { anchorOf, areasOf } from "../_lib/by-area";
import { reference } from "../_lib/reference";

type Props = { params: Promise<{ area: string }> };

const areaOf = async ({ params }: Props) => {
  const { area: slug } = await params;
  const areas = areasOf(reference());
  return { areas, area: areas.find((one) => one.slug === slug) };
};

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { area } = await areaOf(props);
  return { title: area ? `${area.name} · API reference` : "API reference" };
}

/** The operations of one area, rendered from the document that `/v1/openapi.json` serves. Works without scripts. */
export default async function AreaPage(props: Props) {
  const { areas, area } = await areaOf(props);
  if (!area) notFound();
  return (
    <ReferencePage areas={areas} current={area}>
      <h1>{area.name}</h1>
      {area.operations.map((one) => (
        <OperationSection key={anchorOf(one.operation)} {...one} />
      ))}
    </ReferencePage>
  );
}
