import { expect, test } from "vitest";
import { clientAddress, normalizeAddress, trustedProxies } from "./client-address";

const from = (peer: string, forwardedFor: string | undefined, proxies?: string) =>
  clientAddress(peer, forwardedFor, trustedProxies(proxies));

test("without trusted proxies the client is the connecting peer, whatever X-Forwarded-For claims", () => {
  expect(from("203.0.113.5", undefined)).toBe("203.0.113.5");
  expect(from("203.0.113.5", "192.0.2.1")).toBe("203.0.113.5");
  expect(from("127.0.0.1", "192.0.2.1", "")).toBe("127.0.0.1");
});

test("only a trusted proxy is believed, and only for the last address in X-Forwarded-For", () => {
  expect(from("10.0.0.2", "192.0.2.1", "10.0.0.2")).toBe("192.0.2.1");
  expect(from("10.0.0.2", "10.0.0.2, 192.0.2.66, 192.0.2.1", "10.0.0.2")).toBe("192.0.2.1");
  expect(from("10.0.0.9", "192.0.2.1", "10.0.0.2")).toBe("10.0.0.9");
});

test("behind several proxies the client is the first untrusted address from the right", () => {
  const forwardedFor = "127.0.0.1, 192.0.2.1, 172.16.4.4, 10.1.1.1";
  expect(from("10.0.0.2", forwardedFor, "10.0.0.0/8, 172.16.0.0/12")).toBe("192.0.2.1");
  expect(from("10.0.0.2", forwardedFor, "10.0.0.0/8")).toBe("172.16.4.4");
  expect(from("10.0.0.2", "10.1.1.1, 10.2.2.2", "10.0.0.0/8")).toBe("10.1.1.1");
});

test("a number in TRUSTED_PROXIES trusts at most that many hops", () => {
  expect(from("10.0.0.2", "192.0.2.66, 192.0.2.1", "1")).toBe("192.0.2.1");
  expect(from("10.0.0.2", "192.0.2.66, 192.0.2.1, 198.51.100.7", "2")).toBe("192.0.2.1");
  expect(from("10.0.0.2", "192.0.2.1", "3")).toBe("192.0.2.1");
  expect(from("10.0.0.2", "192.0.2.1", "0")).toBe("10.0.0.2");
});

test("an IPv4-mapped IPv6 address equals its IPv4 address", () => {
  expect(from("::ffff:10.0.0.2", "::ffff:192.0.2.1", "10.0.0.2")).toBe("192.0.2.1");
  expect(from("10.0.0.2", "192.0.2.1", "::ffff:10.0.0.2")).toBe("192.0.2.1");
  expect(from("::ffff:a00:2", undefined)).toBe("10.0.0.2");
  expect(from("fd00::2", "2001:DB8:0:0::1", "fd00::/8")).toBe("2001:db8::1");
});

test("ports, brackets and zones are stripped from an address", () => {
  expect(normalizeAddress("192.0.2.1:443")).toBe("192.0.2.1");
  expect(normalizeAddress(" [2001:db8::1]:443")).toBe("2001:db8::1");
  expect(normalizeAddress("[2001:db8::1]")).toBe("2001:db8::1");
  expect(normalizeAddress("fe80::1%eth0")).toBe("fe80::1");
});

test("an invalid address stops the walk at the last known hop", () => {
  for (const claim of ["unknown", "", "_hidden", "<script>", "1.2.3", "192.0.2.1, "]) {
    expect(from("10.0.0.2", claim, "10.0.0.2"), claim).toBe("10.0.0.2");
  }
  expect(from("", "192.0.2.1", "1")).toBe("unknown");
});

test.each(["proxy.example", "10.0.0.0/33", "10.0.0.1,", "fd00::/129", "1,2", "-1", "10.0.0.0/8/8"])(
  "TRUSTED_PROXIES=%s is rejected",
  (text) => {
    expect(() => trustedProxies(text)).toThrow(/is not an address, a network/);
  },
);
