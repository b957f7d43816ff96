import { DUAL_STACK_SINCE } from './catalogue/addresses.check';
import { rwxOf } from './catalogue/network.check';
import { registriesOf, registryCredentialsOf } from './catalogue/registry-and-proxy.check';
import {
  SETTING_CONTROLLERS,
  SETTINGS_GO,
  SettingEntry,
  VALIDATOR,
} from './entry/setting-entry.check';
import { isSetting, valueOf, settingContext, SETTING_KINDS } from './entry/setting.facts';
import { SETTING_RELATION_RULES } from './harvester-setting-relations.rules';
import {
  checkSettingValue,
  nearestSetting,
  readOnlyProblems,
  settingLacking,
} from './harvester-settings.check';
import { HARVESTER_SETTINGS } from './harvester-settings.data';
import { conditionOf } from '../../core/kind/ready/readiness';
import { sameValue } from '../../core/manifest/manifest';
import { Problem } from '../../core/problem/problem';
import { PLAIN_SECRET_CAUSE, PLAIN_SECRET_FIX } from '../../core/rule/general/plain-secret-fix';
import { Fact, rules } from '../../core/rule/kit/fact';
import { errorIf } from '../../core/rule/kit/relations';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { CONDITION } from '../../rancher/cluster/cluster.facts';

function sameMirrors(
  a: ReadonlyMap<string, unknown> = new Map(),
  b: ReadonlyMap<string, unknown> = new Map(),
): boolean {
  return (
    a.size === b.size &&
    [...a].every(([key, mirror]) => b.has(key) && sameValue(plain(mirror), plain(b.get(key))))
  );
}

// maps as objects, for the comparison
function plain(value: unknown): unknown {
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([key, inner]) => [key, plain(inner)]));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

// the versions whose webhook waits for the previous change: 1.7 for the storage network was not
// read at its release
const IN_PROGRESS_SINCE = '1.8.0';

const CRD = 'harvester/harvester:pkg/apis/harvesterhci.io/v1beta1/settings.go';
const REGISTER = 'harvester/harvester:pkg/controller/global/settings/register.go';

const SERVER_FIELDS: { readonly [field: string]: string } = {
  default: 'Harvester overwrites it at every start',
  source: 'Harvester writes it',
  customized: 'Harvester writes it',
  status: 'the controllers write it, and configured=True hides what they do',
};
const OBJECT_FIELDS = ['apiVersion', 'kind', 'metadata', 'value', ...Object.keys(SERVER_FIELDS)];

function judged(name: string, entry: SettingEntry<never>): Omit<Fact, 'kinds'> {
  return {
    id: `harvester-setting/${name}`,
    level: entry.level,
    what: `${name}: ${entry.what}`,
    source: entry.source,
    when: isSetting(name),
    judge: (object, world) => valueProblems(name, entry, object, world),
  };
}

function valueProblems(
  name: string,
  entry: SettingEntry<never>,
  object: JudgedObject,
  world: World,
): Problem[] {
  const { manifest, target } = object;
  const context = settingContext(target, world.beforeOf(object));
  // nothing judges the value of a setting that this version lacks
  if (settingLacking(name, context)) {
    return [];
  }
  const value = valueOf(manifest) ?? '';
  const problems = checkSettingValue(name, value, context);
  const { default: builtIn } = manifest;
  const isJudged =
    entry.judgesDefault === 'always' || (entry.judgesDefault === 'effective' && value === '');
  // the default until Harvester knows its image, which the webhook accepts
  const unset = name === 'support-bundle-image' && builtIn === '{}';
  if (typeof builtIn !== 'string' || !isJudged || unset) {
    return problems;
  }
  const ofDefault = checkSettingValue(name, builtIn, context).map((problem) => ({
    ...problem,
    path: problem.path.replace(/^value/, 'default'),
  }));
  return [...problems, ...ofDefault];
}

/** Rules on the settings of Harvester, one for the value of each of them. */
export const HARVESTER_SETTING_RULES: readonly Rule[] = [
  ...rules({ kinds: SETTING_KINDS }, [
    {
      id: 'harvester-setting/form',
      what: 'a Setting has its value at the top, as text, and no spec',
      source: CRD,
      *judge({ manifest }) {
        const { value } = manifest;
        for (const field of Object.keys(manifest).filter((key) => !OBJECT_FIELDS.includes(key))) {
          yield {
            path: field,
            message: 'is not a field of a Setting: an API server refuses it or silently drops it',
            fix: 'put the value into the field value next to metadata, as text',
            says: `strict decoding error: unknown field "${field}"`,
          };
        }
        if (value === undefined || value === null) {
          const fix = 'give the value as text, "" for the default';
          yield {
            path: 'value',
            level: 'warning',
            message: 'is missing: the object has no effect',
            fix,
          };
        } else if (typeof value !== 'string') {
          const json = typeof value === 'object' ? ', with JSON in it' : '';
          yield {
            path: 'value',
            message: `must be text${json}, got ${Array.isArray(value) ? 'a list' : typeof value}`,
            fix: 'put it in quotes',
            says: `value: Invalid value: "${Array.isArray(value) ? 'array' : typeof value}": value in body must be of type string`,
          };
        }
      },
    },
    {
      id: 'harvester-setting/unknown-name',
      level: 'warning',
      what: 'a Setting has a name that Harvester knows; others are accepted and have no effect',
      source: `${SETTINGS_GO}; seen on Harvester 1.7.2`,
      when: ({ manifest }) => !HARVESTER_SETTINGS.has(manifest.metadata.name),
      field: 'metadata.name',
      check: (_, __, { manifest }) => {
        const { metadata } = manifest;
        const nearest = nearestSetting(metadata.name);
        return {
          message:
            'must be a setting of Harvester, which accepts any name and ignores those that it does not know',
          fix: nearest
            ? `use ${nearest} if that is what you mean`
            : "use a name from the list of settings in Harvester's documentation",
        };
      },
    },
    {
      id: 'harvester-setting/not-in-this-version',
      what: 'a Setting is one of this version of Harvester; others are accepted and have no effect',
      source: `${SETTINGS_GO} at the release tags`,
      judge: ({ manifest, target }) =>
        settingLacking(manifest.metadata.name, settingContext(target)),
    },
    {
      id: 'harvester-setting/read-only',
      level: 'warning',
      what: 'a Setting is not one that Harvester writes itself',
      source: REGISTER,
      judge: ({ manifest }) => readOnlyProblems(manifest.metadata.name, 'metadata.name'),
    },
    {
      id: 'harvester-setting/foreign-fields',
      level: 'warning',
      what: 'a Setting in a manifest has only its value: Harvester writes the other fields',
      source: `${REGISTER}; ${SETTING_CONTROLLERS}/handler.go`,
      *judge({ manifest }) {
        for (const [field, why] of Object.entries(SERVER_FIELDS)) {
          if (manifest[field] !== undefined) {
            yield { path: field, message: `cannot be set in a manifest: ${why}`, fix: 'remove it' };
          }
        }
      },
    },
    {
      id: 'harvester-setting/deletion',
      what: 'a Setting is never deleted: deletion resets nothing, and Harvester refuses it for some',
      source: `${VALIDATOR}; ${SETTING_CONTROLLERS}/handler.go; seen on Harvester 1.7.2`,
      judgeDeletion: ({ manifest, target }) => {
        const { name } = manifest.metadata;
        const entry = HARVESTER_SETTINGS.get(name);
        if (!entry || settingLacking(name, settingContext(target))) {
          return undefined;
        }
        const fix = 'keep it with the value ""';
        if (entry.undeletable) {
          return {
            message: 'cannot be deleted',
            fix,
            says: `Disallow delete setting name ${name}`,
          };
        }
        const message =
          'is no longer declared: deleting it does not reset it, and Harvester creates the object again at its next start';
        return { level: 'warning', message, fix };
      },
    },
    {
      id: 'harvester-setting/secret-in-manifest',
      plainFiles: true,
      level: 'warning',
      what: 'the value of a Setting holds no credentials: they are in plain text in Git and on the cluster',
      source: 'harvester/harvester:pkg/apis/harvesterhci.io/v1beta1/settings.go',
      *judge({ manifest }) {
        const value = valueOf(manifest);
        if (!value) {
          return;
        }
        for (const [path, what] of HARVESTER_SETTINGS.get(manifest.metadata.name)?.secretsIn?.(
          value,
        ) ?? []) {
          yield {
            path,
            message: `holds ${what} in plain text, for everyone who can read the manifests`,
            fix: `${PLAIN_SECRET_FIX}, or use a late value`,
            cause: PLAIN_SECRET_CAUSE,
          };
        }
      },
    },
    {
      id: 'harvester-setting/credentials-update',
      what: 'new credentials of containerd-registry come with a change of Mirrors: Harvester ignores them otherwise',
      source: `${SETTING_CONTROLLERS}/containerd_registry.go isStaleSecret`,
      when: isSetting('containerd-registry'),
      *judgeUpdate({ manifest }, before) {
        const [now, then] = [valueOf(manifest), valueOf(before)];
        if (!now || !then) {
          return;
        }
        const [registries, earlier] = [registriesOf(now), registriesOf(then)];
        if (!registries || !earlier || !sameMirrors(registries.Mirrors, earlier.Mirrors)) {
          return;
        }
        const [given, had] = [registryCredentialsOf(registries), registryCredentialsOf(earlier)];
        for (const [path, auth] of given) {
          if (sameValue(auth, had.get(path))) {
            continue;
          }
          yield {
            path,
            // the controller moves the credentials out of the Setting, so they may be the ones that
            // it has stored
            level: errorIf(had.size > 0),
            message:
              'cannot change while Mirrors are the same: Harvester compares Mirrors alone and keeps the credentials that it has',
            fix: 'apply the value "" first, then this one',
          };
        }
      },
    },
    {
      id: 'harvester-setting/change-in-progress',
      what: 'storage-network and rwx-network do not change while Harvester carries out the previous change; a reset is allowed',
      source: `${VALIDATOR} validateUpdateStorageNetwork, checkRWXNotInProgress`,
      when: isSetting('storage-network', 'rwx-network'),
      judgeUpdate: ({ manifest, target }, before) => {
        const value = valueOf(manifest);
        if (!value || value === valueOf(before)) {
          return undefined;
        }
        const configured = conditionOf(before, CONDITION.CONFIGURED);
        return (
          configured?.status === 'False' &&
          configured.reason === 'In Progress' && {
            path: 'value',
            level: errorIf(settingContext(target).atLeast(IN_PROGRESS_SINCE) !== false),
            message: 'cannot change while Harvester carries out the previous change',
            fix: 'wait until its condition configured is True, or reset it with ""',
            says:
              `cannot update the setting "${manifest.metadata.name}" because it is still being configured (reason: "In Progress", message: ` +
              `${JSON.stringify(configured.message ?? '')})`,
          }
        );
      },
    },
    {
      id: 'harvester-setting/rwx-ranges-locked',
      what: 'rwx-network does not change while hostIPRange and vipRange are set',
      source: `${VALIDATOR} checkRWXNetworkNotLocked`,
      when: isSetting('rwx-network'),
      judgeUpdate: ({ manifest, target }, before) => {
        const context = settingContext(target);
        const [now, then] = [valueOf(manifest), valueOf(before)];
        if (!now || !then || context.atLeast(DUAL_STACK_SINCE) === false) {
          return undefined;
        }
        const [config, earlier] = [rwxOf(now, context), rwxOf(then, context)];
        const reserves = (rwx: typeof config) => Boolean(rwx?.hostIPRange || rwx?.vipRange);
        return (
          reserves(earlier) &&
          reserves(config) &&
          !sameValue(config, earlier) && {
            path: 'value',
            message: 'cannot change while hostIPRange and vipRange are set',
            fix: 'remove hostIPRange and vipRange first, then set the new value',
            says: 'rwx-network cannot be changed while hostIPRange and vipRange are set, remove them first',
          }
        );
      },
    },
  ]),
  ...SETTING_RELATION_RULES,
  ...rules(
    { kinds: SETTING_KINDS },
    [...HARVESTER_SETTINGS]
      .filter(([, entry]) => entry.check)
      .map(([name, entry]) => judged(name, entry)),
  ),
];
