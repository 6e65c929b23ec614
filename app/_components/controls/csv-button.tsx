import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";

/** Downloads the contents of a page as a CSV file. */
export const CsvButton = ({ href }: { href: string }) => (
  <Button component="a" href={href} download variant="default" leftSection={<IconDownload size={14} aria-hidden />}>
    CSV
  </Button>
);
