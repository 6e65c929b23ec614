import { NativeSelect } from "@mantine/core";
import { SearchInput } from "@/app/_components/controls/search-input";
import { SOURCE_WORDS, VENDOR_WORDS } from "@/app/p/[projectId]/_components/costs/price-words";
import { PRICE_PROVIDERS, PRICE_SOURCES } from "@/server/services/pricing/schemas";
import type { View } from "./view";

export function PriceFilters({ view, setView }: { view: View; setView: (view: Partial<View>) => unknown }) {
  return (
    <>
      <SearchInput
        label="Search prices"
        width={240}
        value={view.q ?? ""}
        onChange={(q) => setView({ q: q.trim() || null })}
      />
      <NativeSelect
        aria-label="Vendor"
        value={view.vendor ?? ""}
        onChange={(event) =>
          setView({ vendor: PRICE_PROVIDERS.find((known) => known === event.currentTarget.value) ?? null })
        }
        data={[
          { value: "", label: "Any vendor" },
          ...PRICE_PROVIDERS.map((value) => ({ value, label: VENDOR_WORDS[value] })),
        ]}
      />
      <NativeSelect
        aria-label="Price source"
        value={view.source ?? ""}
        onChange={(event) =>
          setView({ source: PRICE_SOURCES.find((known) => known === event.currentTarget.value) ?? null })
        }
        data={[
          { value: "", label: "All prices" },
          ...PRICE_SOURCES.map((value) => ({ value, label: SOURCE_WORDS[value] })),
        ]}
      />
    </>
  );
}
