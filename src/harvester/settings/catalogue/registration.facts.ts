import { BOOL, STRING, goStruct, unmarshal } from '../../../core/go/go-json';
import { textOrEmpty } from '../../../core/text/plain-text';
import { decoded } from '../entry/setting-entry.check';

/** A value of cluster-registration-url. */
export interface Registration {
  /** The URL; may contain late values. Empty for a reset. */
  readonly url: string;
  readonly insecureSkipTlsVerify: boolean;
  /** Whether it was written as JSON. */
  readonly json: boolean;
}

/**
 * The path of Rancher's import manifest: 1 the token, 2 the management cluster ID.
 * @see rancher/rancher:pkg/multiclustermanager/routes.go
 */
export const IMPORT_PATH = /^\/v3\/import\/([^/?#]+)_([a-z0-9][-a-z0-9]*)\.yaml$/;

export const REGISTRATION_TYPE = goStruct({ url: STRING, insecureSkipTLSVerify: BOOL });

/**
 * What Harvester reads in a value: JSON where it can, else the whole text as a URL that is fetched
 * without verification.
 */
export function registrationOf(value: string): Registration {
  const config = decoded(
    unmarshal<{ url: string; insecureSkipTLSVerify: boolean }>(value, REGISTRATION_TYPE),
  );
  return config
    ? { url: config.url, insecureSkipTlsVerify: config.insecureSkipTLSVerify, json: true }
    : { url: value, insecureSkipTlsVerify: true, json: false };
}

/** The parts of the URL of an import manifest. */
export interface RegisteredCluster {
  /** The host of Rancher, with the port. */
  readonly host: string;
  /** A secret: never print it. */
  readonly token: string;
  /** The management cluster ID. */
  readonly clusterId: string;
  readonly insecureSkipTlsVerify: boolean;
}

/** Where a value registers a Harvester; undefined if its URL is not that of an import manifest. */
export function registeredBy(value: unknown): RegisteredCluster | undefined {
  const { url: text, insecureSkipTlsVerify } = registrationOf(textOrEmpty(value));
  if (!URL.canParse(text)) {
    return undefined;
  }
  const url = new URL(text);
  const match = IMPORT_PATH.exec(url.pathname);
  return match
    ? { host: url.host, token: match[1], clusterId: match[2], insecureSkipTlsVerify }
    : undefined;
}
