"use client";
import { Menu, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import {
  IconBook2,
  IconDeviceDesktop,
  IconKeyboard,
  IconLogout,
  IconMoon,
  IconSelector,
  IconSun,
  IconUser,
  IconUsersGroup,
} from "@tabler/icons-react";
import Link from "next/link";
import { signOut } from "next-auth/react";
import classes from "./shell.module.css";
import type { ShellUser } from "./shell-data";

const SCHEMES = [
  { value: "light", label: "Light", icon: IconSun },
  { value: "dark", label: "Dark", icon: IconMoon },
  { value: "auto", label: "System", icon: IconDeviceDesktop },
] as const;

export function UserMenu({ projectId, user, onHelp }: { projectId: string; user: ShellUser; onHelp: () => void }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const mounted = useMounted();
  return (
    <Menu position="top-start" width={220}>
      <Menu.Target>
        <UnstyledButton className={classes.row} aria-label={`Account ${user.email}`}>
          <span className="clip">{user.name ?? user.email}</span>
          <IconSelector size={14} aria-hidden style={{ marginInlineStart: "auto", flex: "none" }} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{user.email}</Menu.Label>
        <Menu.RadioGroup
          value={mounted ? colorScheme : ""}
          onChange={(value) => setColorScheme(SCHEMES.find((scheme) => scheme.value === value)?.value ?? "auto")}
        >
          {SCHEMES.map(({ value, label, icon: Icon }) => (
            <Menu.RadioItem key={value} value={value} rightSection={<Icon size={14} aria-hidden />}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item
          component={Link}
          href={`/p/${encodeURIComponent(projectId)}/account`}
          leftSection={<IconUser size={14} aria-hidden />}
        >
          Account
        </Menu.Item>
        {user.rights.includes("people:manage") ? (
          <Menu.Item
            component={Link}
            href={`/p/${encodeURIComponent(projectId)}/people`}
            leftSection={<IconUsersGroup size={14} aria-hidden />}
          >
            People
          </Menu.Item>
        ) : null}
        <Menu.Item leftSection={<IconKeyboard size={14} aria-hidden />} rightSection="?" onClick={onHelp}>
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Item component="a" href="/docs" leftSection={<IconBook2 size={14} aria-hidden />}>
          API reference
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconLogout size={14} aria-hidden />}
          onClick={() => signOut({ callbackUrl: "/sign-in" })}
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
