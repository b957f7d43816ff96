import { HARVESTER_SETTINGS, checkSettingValue, nearestSetting, settingLacking, settingNamed } from './catalogue/catalogue';
import { sslCertificatesOf } from './catalogue/certificates.check';
import { CONTROLLERS, SETTINGS_GO, SettingEntry, VALIDATOR } from './catalogue/entry';
import { DUAL_STACK_SINCE, rwxOf } from './catalogue/networks.check';
import { registrationOf } from './catalogue/registration.check';
import { credentialsOf, proxyOf, registriesOf } from './catalogue/registry-and-proxy.check';
import { backupTargetOf } from './catalogue/storage.check';
import { SETTING_RELATION_RULES } from './harvester-setting-relations.rules';
import { SETTING } from './harvester-setting.kind';
import { isLate } from '../../core/late/late-token';
import { Manifest, sameValue, valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { SETTING_KINDS, settingContext, valueOf } from '../context.rules';

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

// the versions whose webhook waits for the change before: 1.7 for the storage network was not read at its release
const IN_PROGRESS_SINCE = '1.8.0';
const WAITING = [SETTING.STORAGE_NETWORK, SETTING.RWX_NETWORK] as readonly string[];

const IN_PROGRESS: Rule = {
  id: 'harvester-setting/change-in-progress',
  level: 'error',
  kinds: SETTING_KINDS,
  what: 'storage-network and rwx-network are not changed again while the change before is carried out; a reset is allowed',
  source: `${VALIDATOR} validateUpdateStorageNetwork, checkRWXNotInProgress`,
  *judgeUpdate({ manifest, target }: JudgedObject, before: Manifest): Iterable<Problem> {
    const { name } = manifest.metadata;
    const value = valueOf(manifest);
    if (!WAITING.includes(name) || !value || value === valueOf(before)) { return; }
    const conditions = valueAt(before, 'status', 'conditions');
    const configured = (Array.isArray(conditions) ? conditions : []).find((condition) => valueAt(condition, 'type') === 'configured');
    if (valueAt(configured, 'status') !== 'False' || valueAt(configured, 'reason') !== 'In Progress') { return; }
    yield {
      path: 'value',
      ...(settingContext(target).atLeast(IN_PROGRESS_SINCE) === false ? { level: 'warning' as const } : {}),
      message: 'changes while Harvester still carries out the change before',
      fix: 'wait until its condition configured is True, or reset it with ""',
      says: `cannot update the setting "${name}" because it is still being configured (reason: "In Progress", message: `
        + `${JSON.stringify(valueAt(configured, 'message') ?? '')})`,
    };
  },
};

const RESERVED_RANGES: Rule = {
  id: 'harvester-setting/rwx-ranges-locked',
  level: 'error',
  kinds: SETTING_KINDS,
  what: 'rwx-network is not changed while hostIPRange and vipRange are set; they are removed first',
  source: `${VALIDATOR} checkRWXNetworkNotLocked`,
  *judgeUpdate({ manifest, target }: JudgedObject, before: Manifest): Iterable<Problem> {
    const context = settingContext(target);
    const [now, then] = [valueOf(manifest), valueOf(before)];
    if (manifest.metadata.name !== SETTING.RWX_NETWORK || !now || !then || context.atLeast(DUAL_STACK_SINCE) === false) { return; }
    const [config, earlier] = [rwxOf(now, context), rwxOf(then, context)];
    const reserves = (rwx: typeof config) => Boolean(rwx?.hostIPRange || rwx?.vipRange);
    if (!reserves(earlier) || !reserves(config) || sameValue(config, earlier)) { return; }
    yield {
      path: 'value',
      message: 'changes while hostIPRange and vipRange are set',
      fix: 'remove hostIPRange and vipRange first, then set the new value',
      says: `${SETTING.RWX_NETWORK} cannot be changed while hostIPRange and vipRange are set, remove them first`,
    };
  },
};

/** Rules on changes of settings. */
export const SETTING_UPDATE_RULES: readonly Rule[] = [IN_PROGRESS, RESERVED_RANGES];

const CRD = 'harvester/harvester:pkg/apis/harvesterhci.io/v1beta1/settings.go';
const REGISTER = 'harvester/harvester:pkg/controller/global/settings/register.go';

const SERVER_FIELDS: { readonly [field: string]: string } = {
  default: 'Harvester overwrites it with the built-in one at every start',
  source: 'Harvester writes it',
  customized: 'Harvester writes it',
  status: 'the controllers write it, and one that says configured hides what they do',
};
const OBJECT_FIELDS = ['apiVersion', 'kind', 'metadata', 'value', ...Object.keys(SERVER_FIELDS)];

// a setting of a newer version has no rules in this one: nothing judges its value
function judged(entry: SettingEntry): Rule {
  return {
    id: `harvester-setting/${entry.name}`,
    level: entry.level,
    kinds: SETTING_KINDS,
    what: `${entry.name}: ${entry.what}`,
    source: entry.source,
    judge: (object, world) => (object.manifest.metadata.name === entry.name ? valueProblems(entry, object, world) : []),
  };
}

function valueProblems(entry: SettingEntry, object: JudgedObject, world: World): Problem[] {
  const { manifest, target } = object;
  const context = settingContext(target, world.beforeOf(object));
  if (settingLacking(entry, context)) { return []; }
  const value = valueOf(manifest) ?? '';
  const problems = checkSettingValue(entry, value, context);
  const { default: builtIn } = manifest;
  const counts = entry.judgesDefault === 'always' || (entry.judgesDefault === 'effective' && value === '');
  // before Harvester knows its image the default is this, and the webhook lets it pass
  const unset = entry.name === SETTING.SUPPORT_BUNDLE_IMAGE && builtIn === '{}';
  if (typeof builtIn !== 'string' || !counts || unset) { return problems; }
  return [...problems, ...checkSettingValue(entry, builtIn, context).map((problem) => ({ ...problem, path: problem.path.replace(/^value/, 'default') }))];
}

const FORM: Rule = {
  id: 'harvester-setting/form',
  level: 'error',
  kinds: SETTING_KINDS,
  what: 'a Setting has its value at the top, as text, and no spec',
  source: CRD,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const { value } = manifest;
    for (const field of Object.keys(manifest).filter((key) => !OBJECT_FIELDS.includes(key))) {
      yield {
        path: field,
        message: 'is no field of a Setting: a strict API server refuses it, another one drops it in silence',
        fix: 'put the value into the field value beside metadata, as text',
        says: `strict decoding error: unknown field "${field}"`,
      };
    }
    if (value === undefined || value === null) {
      yield { path: 'value', level: 'warning', message: 'is missing, so the object sets nothing', fix: 'give the value as text, "" for the default' };
    } else if (typeof value !== 'string') {
      const json = typeof value === 'object' ? ', with JSON in it' : '';
      yield {
        path: 'value',
        message: `must be text${json}, not ${Array.isArray(value) ? 'a list' : typeof value}`,
        fix: 'put it in quotes',
        says: `value: Invalid value: "${Array.isArray(value) ? 'array' : typeof value}": value in body must be of type string`,
      };
    }
  },
};

const UNKNOWN_NAME: Rule = {
  id: 'harvester-setting/unknown-name',
  level: 'warning',
  kinds: SETTING_KINDS,
  what: 'a Setting has a name that Harvester knows; any other is accepted and does nothing',
  source: `${SETTINGS_GO}; seen on Harvester 1.7.2`,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const { name } = manifest.metadata;
    if (settingNamed(name) || isLate(name)) { return; }
    const nearest = nearestSetting(name);
    yield {
      path: 'metadata.name',
      value: name,
      message: 'is no setting that this library knows; Harvester accepts any name and does nothing with those it does not know',
      fix: nearest ? `did you mean ${nearest}?` : 'see the list of settings in the documentation of Harvester',
    };
  },
};

const NOT_IN_VERSION: Rule = {
  id: 'harvester-setting/not-in-this-version',
  level: 'error',
  kinds: SETTING_KINDS,
  what: 'a Setting is one that this version of Harvester has; others are accepted and do nothing',
  source: `${SETTINGS_GO} at the release tags`,
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    const entry = settingNamed(manifest.metadata.name);
    const problem = entry && settingLacking(entry, settingContext(target));
    if (problem) { yield problem; }
  },
};

const READ_ONLY: Rule = {
  id: 'harvester-setting/read-only',
  level: 'warning',
  kinds: SETTING_KINDS,
  what: 'a Setting that Harvester writes itself is left to it',
  source: REGISTER,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    if (settingNamed(manifest.metadata.name)?.readOnly) {
      yield { path: 'metadata.name', value: manifest.metadata.name, message: 'is written by Harvester itself, at every start', fix: 'leave it out' };
    }
  },
};

const FOREIGN_FIELDS: Rule = {
  id: 'harvester-setting/foreign-fields',
  level: 'warning',
  kinds: SETTING_KINDS,
  what: 'a Setting in a manifest has nothing but its value: the other fields are Harvester\'s',
  source: `${REGISTER}; ${CONTROLLERS}/handler.go`,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    for (const [field, why] of Object.entries(SERVER_FIELDS)) {
      if (manifest[field] !== undefined) { yield { path: field, message: `does not belong into a manifest: ${why}`, fix: 'leave it out' }; }
    }
  },
};

const DELETION: Rule = {
  id: 'harvester-setting/deletion',
  level: 'error',
  kinds: SETTING_KINDS,
  what: 'a Setting is never deleted: that resets nothing, and some are not deleted at all',
  source: `${VALIDATOR}; ${CONTROLLERS}/handler.go; seen on Harvester 1.7.2`,
  *judgeDeletion({ manifest, target }: JudgedObject): Iterable<Problem> {
    const { name } = manifest.metadata;
    const entry = settingNamed(name);
    if (!entry || settingLacking(entry, settingContext(target))) { return; }
    const fix = 'keep it with the value ""';
    if (entry.undeletable) {
      yield { path: '', message: 'is gone, and Harvester refuses to delete it', fix, says: `Disallow delete setting name ${name}` };
    } else {
      yield {
        path: '',
        level: 'warning',
        message: 'is gone: deleting it does not reset it, what it did stays, and the object comes back at the next start of Harvester only',
        fix,
      };
    }
  },
};

/** Rules on the settings of Harvester, one for the value of each of them. */
export const HARVESTER_SETTING_RULES: readonly Rule[] = [
  FORM, UNKNOWN_NAME, NOT_IN_VERSION, READ_ONLY, FOREIGN_FIELDS, DELETION,
  ...SETTING_SECRET_RULES, ...SETTING_RELATION_RULES, ...SETTING_UPDATE_RULES,
  ...HARVESTER_SETTINGS.filter((entry) => entry.check).map(judged),
];
