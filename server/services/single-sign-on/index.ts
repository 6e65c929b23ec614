import "server-only";

export { type Claims, verifiedClaims } from "./claims";
export { type ProviderSettings, providerSettings } from "./provider-settings";
export { SignInRefused } from "./refusals";
export { signInByProvider } from "./sign-in-by-provider";
export { type SignInMethods, signInMethods } from "./sign-in-methods";
