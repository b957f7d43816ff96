import { SETTING_KINDS, valueOf } from './harvester-setting-context';
import { JudgedObject, Rule } from './rule';
import { backupTargetOf } from '../model/harvester-settings/backup-target';
import { sslCertificatesOf } from '../model/harvester-settings/certificates';
import { CONTROLLERS } from '../model/harvester-settings/entry';
import { SETTING } from '../model/harvester-settings/names';
import { registrationOf } from '../model/harvester-settings/registration';
import { credentialsOf, proxyOf, registriesOf } from '../model/harvester-settings/registry-and-proxy';
import { isLate } from '../model/late-token';
import { Manifest } from '../model/manifest';
import { Problem } from '../model/problem';
import { sameValue } from '../model/same-value';

const SECRETS: { readonly [name: string]: (value: string) => readonly (readonly [path: string, what: string])[] } = {
  [SETTING.BACKUP_TARGET]: (value) => {
    const target = backupTargetOf(value);
    return isClear(target?.secretAccessKey) ? [['value.secretAccessKey', 'the key of the backup store']] : [];
  },
  [SETTING.CONTAINERD_REGISTRY]: (value) => [...credentialsOf(registriesOf(value))]
    .filter(([, auth]) => [auth.Password, auth.Auth, auth.IdentityToken].some(isClear))
    .map(([path]) => [path, 'the password of a registry'] as const),
  [SETTING.SSL_CERTIFICATES]: (value) => (isClear(sslCertificatesOf(value)?.privateKey) ? [['value.privateKey', 'the private key of Harvester\'s certificate']] : []),
  [SETTING.HTTP_PROXY]: (value) => {
    const config = proxyOf(value);
    return (['httpProxy', 'httpsProxy'] as const)
      .filter((key) => config && isClear(config[key]) && /^[a-z]+:\/\/[^/?#]*:[^/?#]*@/i.test(config[key]))
      .map((key) => [`value.${key}`, 'the password of the proxy'] as const);
  },
  [SETTING.CLUSTER_REGISTRATION_URL]: (value) => {
    const { url } = registrationOf(value);
    return isClear(url) && /\/v3\/import\/[^/{}]+_[^/]+\.yaml/.test(url) ? [['value', 'the token of the registration']] : [];
  },
};

// a Setting may be called like a method that every object has
function secretsIn(name: string, value: string): ReturnType<typeof SECRETS[string]> {
  return Object.prototype.hasOwnProperty.call(SECRETS, name) ? SECRETS[name](value) : [];
}

function isClear(text: string | undefined): boolean {
  return text !== undefined && text !== '' && !isLate(text);
}

const IN_MANIFEST: Rule = {
  id: 'harvester-setting/secret-in-manifest',
  level: 'warning',
  kinds: SETTING_KINDS,
  what: 'credentials in the value of a Setting stand in clear in Git and on the cluster',
  source: 'harvester/harvester:pkg/apis/harvesterhci.io/v1beta1/settings.go',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const value = valueOf(manifest);
    if (!value) { return; }
    for (const [path, what] of secretsIn(manifest.metadata.name, value)) {
      yield {
        path,
        message: `holds ${what} in clear, for everybody who can read the manifests`,
        fix: 'use a late value, keep the manifest out of Git or encrypt it, or suppress this with the reason why it may be read',
      };
    }
  },
};

const CREDENTIALS_UPDATE: Rule = {
  id: 'harvester-setting/credentials-update',
  level: 'error',
  kinds: SETTING_KINDS,
  what: 'new credentials of containerd-registry are taken only where Mirrors change as well',
  source: `${CONTROLLERS}/containerd_registry.go isStaleSecret`,
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    const [now, then] = [valueOf(manifest), valueOf(before)];
    if (manifest.metadata.name !== SETTING.CONTAINERD_REGISTRY || !now || !then) { return; }
    const [registries, earlier] = [registriesOf(now), registriesOf(then)];
    if (!registries || !earlier || !sameMirrors(registries.Mirrors, earlier.Mirrors)) { return; }
    const [given, had] = [credentialsOf(registries), credentialsOf(earlier)];
    for (const [path, auth] of given) {
      if (sameValue(auth, had.get(path))) { continue; }
      yield {
        path,
        // the controller takes the credentials out of the Setting, so they may be the ones that it has stored
        ...(had.size === 0 ? { level: 'warning' as const } : {}),
        message: 'is new while Mirrors are the same: Harvester compares Mirrors alone and goes on with the credentials it has',
        fix: 'apply the value "" first, then this one',
      };
    }
  },
};

function sameMirrors(a: ReadonlyMap<string, unknown> = new Map(), b: ReadonlyMap<string, unknown> = new Map()): boolean {
  return a.size === b.size && [...a].every(([key, mirror]) => b.has(key) && sameValue(plain(mirror), plain(b.get(key))));
}

// maps as objects, for the comparison
function plain(value: unknown): unknown {
  if (value instanceof Map) { return Object.fromEntries([...value].map(([key, inner]) => [key, plain(inner)])); }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) { return value; }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

/** Rules on credentials within settings. */
export const SETTING_SECRET_RULES: readonly Rule[] = [IN_MANIFEST, CREDENTIALS_UPDATE];
