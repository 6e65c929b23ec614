import { Button, Checkbox, Group, SimpleGrid } from "@mantine/core";
import { type Capability, DEFAULT_KEY_CAPABILITIES } from "@/server/platform/capabilities";
import { ALL_CAPABILITIES, CAPABILITY_WORDS } from "./capability-words";

const PRESETS: { label: string; capabilities: readonly Capability[] }[] = [
  { label: "Send only", capabilities: ["telemetry:write"] },
  { label: "Send and read", capabilities: DEFAULT_KEY_CAPABILITIES },
  { label: "Call models", capabilities: ["gateway:use", "telemetry:write"] },
  { label: "Read only", capabilities: DEFAULT_KEY_CAPABILITIES.filter((one) => one !== "telemetry:write") },
];

type Props = { value: string[]; onChange: (capabilities: string[]) => void };

/** Chooses a key's capabilities, individually or by common sets. */
export const CapabilityChoice = ({ value, onChange }: Props) => (
  <Checkbox.Group
    label="Permissions"
    description="Grant only what the program needs: a send-only key can’t read anything."
    value={value}
    onChange={onChange}
  >
    <Group gap="xs" my="xs">
      {PRESETS.map((preset) => (
        <Button
          key={preset.label}
          size="compact-xs"
          variant="default"
          onClick={() => onChange([...preset.capabilities])}
        >
          {preset.label}
        </Button>
      ))}
    </Group>
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" verticalSpacing={8}>
      {ALL_CAPABILITIES.map((one) => (
        <Checkbox
          key={one}
          size="xs"
          value={one}
          label={CAPABILITY_WORDS[one]}
          description={<span className="mono">{one}</span>}
        />
      ))}
    </SimpleGrid>
  </Checkbox.Group>
);
