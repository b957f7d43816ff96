import { REGISTRATION_JSON_SINCE, SettingContext, SettingEntry, isWebAddress, syncer, warn } from './entry';
import { parseGoJson } from '../../../core/go/go-json';
import { BOOL, STRING, struct, unmarshal } from '../../../core/go/go-json-decode';
import { isLate } from '../../../core/late/late-token';
import { Problem } from '../../../core/rule/problem';
import { TOKEN_PLACEHOLDER } from '../../../rancher/import/registration-token.kind';
import { SETTING } from '../harvester-setting.kind';

/** What a value of cluster-registration-url says. */
export interface Registration {
  /** The URL; may hold late values. Empty for a reset. */
  readonly url: string;
  readonly insecureSkipTlsVerify: boolean;
  /** Whether it was written as JSON. */
  readonly json: boolean;
}

/** The path of Rancher's import manifest: 1 the token, 2 the id of the management cluster. @see rancher/rancher:pkg/multiclustermanager/routes.go */
export const IMPORT_PATH = /^\/v3\/import\/([^/?#]+)_([a-z0-9][-a-z0-9]*)\.yaml$/;

const TYPE = struct('settings.ClusterRegistrationURLSetting', { url: STRING, insecureSkipTLSVerify: BOOL });
const FORMAT = '{"url":"https://<rancher>/v3/import/<token>_<cluster id>.yaml","insecureSkipTLSVerify":false}';
const PLAIN_FORMAT = 'https://<rancher>/v3/import/<token>_<cluster id>.yaml';

/**
 * What Harvester makes of a value: JSON where it can read it, else the whole text as a URL that is fetched without verification.
 */
export function registrationOf(value: string): Registration {
  const result = unmarshal<{ url: string; insecureSkipTLSVerify: boolean }>(value, TYPE);
  return 'error' in result
    ? { url: value, insecureSkipTlsVerify: true, json: false }
    : { url: result.config.url, insecureSkipTlsVerify: result.config.insecureSkipTLSVerify, json: true };
}

function check(value: string, context: SettingContext): Problem[] {
  const readsJson = context.atLeast(REGISTRATION_JSON_SINCE);
  const blind = readsJson === false ? [verifiesNothing(context)] : [];
  // a late value alone may be either form
  if (/^\$\{late:[^}]*\}$/.test(value)) { return blind; }
  const parsed = parseGoJson(value);
  const registration = registrationOf(value);
  if (readsJson === false) { return 'node' in parsed ? [jsonTooEarly()] : [...blind, ...checkUrl('value', value, context)]; }
  if (!registration.json) {
    if ('node' in parsed || /^\s*[{[]/.test(value)) { return isLate(value) && !('node' in parsed) ? [] : [notTheJson(value)]; }
    const plain = readsJson === true ? [plainUrl()] : [];
    return [...plain, ...checkUrl('value', value, context)];
  }
  return [...checkJson(value, registration), ...(registration.url === '' ? [] : checkUrl('value.url', registration.url, context))];
}

function checkJson(value: string, registration: Registration): Problem[] {
  const parsed = parseGoJson(value);
  const entries = 'node' in parsed && parsed.node.kind === 'object' ? parsed.node.entries : [];
  const problems: Problem[] = [];
  if (!entries.some(([key]) => /^url$/i.test(key))) {
    problems.push({
      path: 'value.url',
      message: 'is missing, which Harvester takes as a reset: the running cluster agent is deleted, and the Setting says configured=True',
      fix: `give ${FORMAT}; for a reset give ""`,
    });
  } else if (registration.url === '' && !entries.some(([key, node]) => /^url$/i.test(key) && node.kind === 'string')) {
    problems.push(warn({ path: 'value.url', message: 'is null, which Harvester takes as a reset: the cluster agent is deleted', fix: 'give "" for a reset' }));
  }
  const result = unmarshal(value, TYPE);
  for (const key of 'error' in result ? [] : result.unknown) {
    problems.push(warn({ path: `value.${key}`, message: 'is no field that Harvester knows here, it is ignored', fix: `give ${FORMAT}` }));
  }
  if (registration.insecureSkipTlsVerify && registration.url !== '') {
    problems.push(warn({
      path: 'value.insecureSkipTLSVerify',
      value: true,
      message: 'lets anybody between Harvester and Rancher answer with a manifest of their own (CVE-2025-71261)',
      fix: 'give false, and put the certificate authority of Rancher into the setting additional-ca',
    }));
  }
  return problems;
}

function checkUrl(path: string, url: string, context: SettingContext): Problem[] {
  if (url.includes(TOKEN_PLACEHOLDER) || /%7Btoken%7D/i.test(url)) {
    return [{
      path,
      message: `holds the literal ${TOKEN_PLACEHOLDER}, which Rancher puts where the token was: the registration never succeeds`,
      fix: 'put the token of the ClusterRegistrationToken there',
      says: 'failed to get from the registration URL: cluster not found or invalid token',
    }];
  }
  if (isLate(url)) { return /^\s*http:/i.test(url) ? [unencrypted(path)] : []; }
  if (!isWebAddress(url)) {
    return [{ path, message: 'is no URL, so the registration never succeeds', fix: `give ${context.atLeast(REGISTRATION_JSON_SINCE) === false ? PLAIN_FORMAT : FORMAT}` }];
  }
  const problems = /^http:/i.test(url) ? [unencrypted(path)] : [];
  const { pathname, search } = new URL(url);
  if (!IMPORT_PATH.test(pathname) || search !== '') {
    problems.push(warn({
      path, message: 'is not where Rancher serves the import manifest of a cluster', fix: `give ${PLAIN_FORMAT}`,
    }));
  }
  return problems;
}

function unencrypted(path: string): Problem {
  return warn({ path, message: 'goes over http, so the token and the manifest travel in clear', fix: 'give the https URL of Rancher' });
}

function plainUrl(): Problem {
  return warn({
    path: 'value',
    message: 'is a plain URL, whose certificate Harvester does not verify (CVE-2025-71261)',
    fix: `give ${FORMAT}`,
    says: 'treating the registration URL value directly for backward compatibility',
  });
}

function verifiesNothing({ harvesterVersion }: SettingContext): Problem {
  return warn({
    path: 'value',
    message: `is fetched without verifying the certificate of Rancher (CVE-2025-71261): Harvester ${harvesterVersion} applies as administrator what anyone in between answers`,
    fix: `upgrade Harvester to ${REGISTRATION_JSON_SINCE}, or suppress this where the network between both is trusted`,
  });
}

function jsonTooEarly(): Problem {
  return {
    path: 'value', message: `is JSON, which Harvester before ${REGISTRATION_JSON_SINCE} takes as a URL: the registration never succeeds`, fix: `give ${PLAIN_FORMAT}`,
  };
}

function notTheJson(value: string): Problem {
  const result = unmarshal(value, TYPE);
  return {
    path: 'value',
    message: 'is not the JSON that Harvester reads here, so the whole text is taken as a URL and the registration never succeeds',
    fix: `give ${FORMAT}`,
    ...('error' in result ? { says: result.error } : {}),
  };
}

export const REGISTRATION_SETTINGS: readonly SettingEntry[] = [{
  name: SETTING.CLUSTER_REGISTRATION_URL,
  what: 'the URL of the manifest that imports this Harvester into a Rancher; an empty one removes the cluster agent',
  format: `${FORMAT}, before ${REGISTRATION_JSON_SINCE} ${PLAIN_FORMAT}`,
  default: '{"url":"","insecureSkipTLSVerify":false}',
  secret: true,
  judgesLate: true,
  judgesDefault: 'never',
  level: 'error',
  check,
  controller: syncer(),
  source: 'harvester/harvester:pkg/controller/master/setting/cluster_registration_url.go, pkg/settings/settings_helper.go; seen on Harvester 1.7.2',
}];
