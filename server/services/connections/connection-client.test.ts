import { expect, test } from "vitest";
import { addressBelow } from "./connection-client";

test.each([
  ["https://api.example.com/v1", "/models", "https://api.example.com/v1/models"],
  ["https://api.example.com/v1/", "models", "https://api.example.com/v1/models"],
  ["https://api.example.com", "/user", "https://api.example.com/user"],
  ["https://example.com/hook?token=x", "", "https://example.com/hook?token=x"],
  ["https://example.com/hook/", "", "https://example.com/hook/"],
  ["https://example.com/a", "//evil.example/x", "https://example.com/a/evil.example/x"],
  ["https://example.com/a", "https://evil.example/x", "https://example.com/a/https://evil.example/x"],
  ["https://example.com/a", "x?y#z", "https://example.com/a/x%3Fy%23z"],
])("the address %s with the path %s is %s", (base, path, address) => {
  expect(addressBelow(base, path).href).toBe(address);
});

test.each(["../x", "/../x", "%2e%2e/x", "a/../../x"])("%s is refused because it leaves the base address", (path) => {
  expect(() => addressBelow("https://example.com/tenant", path)).toThrow(/leads outside the connection's address/);
});

test("a query is added to the one in the base address", () => {
  const url = addressBelow("https://example.com/api?version=3", "/items", { page: "2 & 3" });
  expect(url.href).toBe("https://example.com/api/items?version=3&page=2+%26+3");
});
