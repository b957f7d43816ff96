import { registrationOf, Registration, REGISTRATION_TYPE, IMPORT_PATH } from './registration.facts';
import { isJson, unmarshal } from '../../../core/go/go-json';
import { isLate } from '../../../core/late/late-token';
import { Problem } from '../../../core/problem/problem';
import { isWebAddress } from '../../../core/text/web-address';
import { TOKEN_PLACEHOLDER } from '../../../rancher/import/registration-token.kind';
import { isPlainText, settingEntry, syncer, warn } from '../entry/setting-entry.check';
import { SettingContext } from '../entry/setting.facts';

/** The registration of a Harvester at a Rancher, as the cluster that Rancher has for it. */
export interface ClusterRegistrationProps {
  /**
   * The URL of the import manifest: `https://<rancher>/v3/import/<token>_<cluster ID>.yaml`. May
   * contain late values.
   */
  readonly url: string;
  /**
   * Whether Harvester skips the verification of Rancher's certificate. Before Harvester 1.7.2 it
   * always skips it.
   * @default false
   */
  readonly insecureSkipTlsVerify?: boolean;
}

/**
 * The first version that reads JSON here.
 * @see harvester/harvester:pkg/settings/settings_helper.go GetClusterRegistrationURLSetting (CVE-2025-71261)
 */
const JSON_SINCE = '1.7.2';
const FORMAT =
  '{"url":"https://<rancher>/v3/import/<token>_<cluster id>.yaml","insecureSkipTLSVerify":false}';
const PLAIN_FORMAT = 'https://<rancher>/v3/import/<token>_<cluster id>.yaml';

function check(value: string, context: SettingContext): Problem[] {
  const readsJson = context.atLeast(JSON_SINCE);
  const unverified = readsJson === false ? [verifiesNothing(context)] : [];
  // a late value alone may be either form
  if (/^\$\{late:[^}]*\}$/.test(value)) {
    return unverified;
  }
  const registration = registrationOf(value);
  if (readsJson === false) {
    return isJson(value) ? [jsonTooEarly()] : [...unverified, ...checkUrl('value', value, context)];
  }
  if (!registration.json) {
    if (isJson(value) || /^\s*[{[]/.test(value)) {
      return isLate(value) && !isJson(value) ? [] : notTheJson(value);
    }
    return [...(readsJson === true ? [plainUrl()] : []), ...checkUrl('value', value, context)];
  }
  return [
    ...checkJson(value, registration),
    ...(registration.url === '' ? [] : checkUrl('value.url', registration.url, context)),
  ];
}

function checkJson(value: string, registration: Registration): Problem[] {
  const given = Object.entries(JSON.parse(value) ?? {}).filter(([key]) => /^url$/i.test(key));
  const problems: Problem[] = [];
  if (given.length === 0) {
    problems.push({
      path: 'value.url',
      message:
        'is missing, which Harvester treats as a reset: it deletes the running cluster agent and reports configured=True',
      fix: `give ${FORMAT}; for a reset give ""`,
    });
  } else if (registration.url === '' && !given.some(([, url]) => typeof url === 'string')) {
    problems.push(
      warn({
        path: 'value.url',
        message: 'is null, which Harvester treats as a reset: it deletes the cluster agent',
        fix: 'give "" for a reset',
      }),
    );
  }
  const result = unmarshal(value, REGISTRATION_TYPE);
  for (const key of 'faults' in result ? [] : result.unknown) {
    problems.push(
      warn({
        path: `value.${key}`,
        message: 'cannot have an effect: Harvester has no field of this name here',
        fix: `give ${FORMAT}`,
      }),
    );
  }
  if (registration.insecureSkipTlsVerify && registration.url !== '') {
    problems.push(
      warn({
        path: 'value.insecureSkipTLSVerify',
        value: true,
        message:
          'lets anyone between Harvester and Rancher answer with a manifest of their own (CVE-2025-71261)',
        fix: 'give false, and put the certificate authority of Rancher into the setting additional-ca',
      }),
    );
  }
  return problems;
}

function checkUrl(path: string, url: string, context: SettingContext): Problem[] {
  if (url.includes(TOKEN_PLACEHOLDER) || /%7Btoken%7D/i.test(url)) {
    return [
      {
        path,
        message: `contains the literal ${TOKEN_PLACEHOLDER}, which Rancher writes in place of the token: the registration fails`,
        fix: 'put the token of the ClusterRegistrationToken there',
        says: 'failed to get from the registration URL: cluster not found or invalid token',
      },
    ];
  }
  if (isLate(url)) {
    return /^\s*http:/i.test(url) ? [unencrypted(path)] : [];
  }
  if (!isWebAddress(url)) {
    return [
      {
        path,
        message: 'must be a URL: the registration fails',
        fix: `give ${context.atLeast(JSON_SINCE) === false ? PLAIN_FORMAT : FORMAT}`,
      },
    ];
  }
  const problems = /^http:/i.test(url) ? [unencrypted(path)] : [];
  const { pathname, search } = new URL(url);
  if (!IMPORT_PATH.test(pathname) || search !== '') {
    problems.push(
      warn({
        path,
        message: "must be the URL of a cluster's import manifest at Rancher",
        fix: `give ${PLAIN_FORMAT}`,
      }),
    );
  }
  return problems;
}

function unencrypted(path: string): Problem {
  return warn({
    path,
    message: 'uses http, so the token and the manifest are sent in plain text',
    fix: 'give the https URL of Rancher',
  });
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
    message: `is fetched without verification of Rancher's certificate (CVE-2025-71261): Harvester ${harvesterVersion} applies as administrator what anyone in between answers`,
    fix: `upgrade Harvester to ${JSON_SINCE}, or suppress this where the network between both is trusted`,
  });
}

function jsonTooEarly(): Problem {
  return {
    path: 'value',
    message: `cannot be JSON before Harvester ${JSON_SINCE}, which reads it as a URL: the registration fails`,
    fix: `give ${PLAIN_FORMAT}`,
  };
}

function notTheJson(value: string): Problem[] {
  const result = unmarshal(value, REGISTRATION_TYPE);
  return ('faults' in result ? result.faults : []).map(({ path, message }) => ({
    path: path ? `value.${path}` : 'value',
    message: `${message}: Harvester reads the whole text as a URL, so the registration fails`,
    fix: `give ${FORMAT}`,
  }));
}

/** The setting that registers Harvester at a Rancher. */
export const REGISTRATION_FAMILY = {
  'cluster-registration-url': settingEntry<ClusterRegistrationProps>({
    what: 'the URL of the manifest that imports this Harvester into a Rancher; an empty one removes the cluster agent',
    format: `${FORMAT}, before ${JSON_SINCE} ${PLAIN_FORMAT}`,
    default: '{"url":"","insecureSkipTLSVerify":false}',
    secret: true,
    secretsIn: (value) => {
      const { url } = registrationOf(value);
      return isPlainText(url) && /\/v3\/import\/[^/{}]+_[^/]+\.yaml/.test(url)
        ? [['value', 'the token of the registration']]
        : [];
    },
    judgesLate: true,
    carriesGuests: true,
    resetEffect:
      "Harvester then removes Rancher's agent and is disconnected from Rancher: projects, members, and machines of guest clusters no longer change",
    print: ({ url, insecureSkipTlsVerify = false }, context) =>
      context().atLeast(JSON_SINCE) ? { url, insecureSkipTLSVerify: insecureSkipTlsVerify } : url,
    adopt: (text) => {
      const { url, insecureSkipTlsVerify, json } = registrationOf(text);
      return { url, insecureSkipTlsVerify: json && insecureSkipTlsVerify ? true : undefined };
    },
    check,
    controller: syncer(),
    source:
      'harvester/harvester:pkg/controller/master/setting/cluster_registration_url.go, pkg/settings/settings_helper.go; seen on Harvester 1.7.2',
  }),
};
