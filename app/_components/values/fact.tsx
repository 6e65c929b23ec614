import { DataList } from "@mantine/core";

type Props = { label: string; mono?: boolean; children: React.ReactNode };

/** One named value of a `DataList`. */
export function Fact({ label, mono = false, children }: Props) {
  return (
    <DataList.Item>
      <DataList.ItemLabel>{label}</DataList.ItemLabel>
      <DataList.ItemValue className={mono ? "mono" : "tabular"} miw={0} style={{ overflowWrap: "anywhere" }}>
        {children}
      </DataList.ItemValue>
    </DataList.Item>
  );
}
