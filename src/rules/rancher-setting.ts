import { rancherHas, rancherVersionOf } from './rancher-gates';
import { SETTING_CHART_RULES } from './rancher-setting-chart';
import { SETTING_PAIR_RULES } from './rancher-setting-pairs';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { annotationsOf } from '../model/checks/metadata-maps';
import { plainText } from '../model/checks/plain-text';
import { atoi } from '../model/harvester-settings/go-numbers';
import { ANNOTATION_FORCE } from '../model/labels';
import { isLate } from '../model/late-token';
import { Manifest, valueAt } from '../model/manifest';
import { GROUPS, LOCAL_CLUSTER } from '../model/names';
import { Problem } from '../model/problem';
import { isRancherSetting, rancherSetting } from '../model/rancher-settings/catalogue';
import { checkRancherSetting } from '../model/rancher-settings/check';
import { SETTING_GO, SETTING_VALIDATOR } from '../model/rancher-settings/entry';
import { AGENT_TLS_MODES, RANCHER_SETTINGS } from '../model/rancher-settings/names';
import { GateId } from '../versions/gate-id';
import { Since } from '../versions/since';

const KINDS = ['management.cattle.io/Setting'];
const SERVER_FIELDS = ['default', 'customized', 'source'];
const STRICT_CHECK = 'AgentTlsStrictCheck';

/** What counts: the value, or else the default as far as it is known. */
function effectiveValueOf(manifest: Manifest): string {
  const builtIn = typeof manifest.default === 'string' ? manifest.default : rancherSetting(manifest.metadata.name)?.default;
  return (typeof manifest.value === 'string' && manifest.value) || (builtIn ?? '');
}

const VALUE: Rule = {
  id: 'rancher-setting/value',
  level: 'error',
  kinds: KINDS,
  what: 'the value of a setting has the form that Rancher reads',
  source: SETTING_VALIDATOR,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = object;
    const { value } = manifest;
    if (value === undefined || value === null) {
      yield { path: 'value', level: 'warning', message: 'is missing: the object does nothing', fix: 'give a value, "" for the default' };
    } else if (typeof value !== 'string') {
      yield notText(value);
    } else if (rancherSetting(manifest.metadata.name)?.readOnly) {
      yield* judgeReadOnly(value, manifest.metadata.name, world.beforeOf(object));
    } else {
      yield* judgeText(object, value);
    }
  },
};

/** The shortest lives of registration tokens, in minutes. */
const SHORTEST: { readonly [setting: string]: number } = { [RANCHER_SETTINGS.CRT_DEFAULT_TTL]: 30, [RANCHER_SETTINGS.CRT_DEFAULT_GRACE]: 10 };

function* judgeText({ manifest, target }: JudgedObject, value: string): Iterable<Problem> {
  const { name } = manifest.metadata;
  const least = SHORTEST[name];
  const minutes = atoi(value);
  // earlier ones use the nearest allowed value, and take 0 for never
  const refused = least !== undefined && 'number' in minutes && minutes.number < least && rancherHas(target, GateId.REGISTRATION_TOKEN_LIFETIME_CHECKED) === true;
  if (!refused || isLate(value)) {
    yield* checkRancherSetting(name, value);
    return;
  }
  yield { path: 'value', value, message: `must be ${least} minutes or more`, fix: `use "${least}" or more, or "" for the default`, says: `value: Forbidden: must be >= ${least}` };
}

function notText(value: unknown): Problem {
  const problem = { path: 'value', message: 'must be text', says: `value: Invalid value: must be of type string: "${Array.isArray(value) ? 'array' : typeof value}"` };
  return typeof value === 'object'
    ? { ...problem, fix: 'write one text; where the setting holds JSON, write that JSON in quotes or as a block (value: |)' }
    : { ...problem, value, fix: `write "${plainText(value)}" in quotes` };
}

// what is there may be written again; what it is, nobody knows without the live object
function* judgeReadOnly(value: string, name: string, before: Manifest | undefined): Iterable<Problem> {
  if (before && (before.value ?? '') === value) { return; }
  for (const problem of checkRancherSetting(name, value)) { yield before ? problem : { ...problem, level: 'warning' }; }
}

const UNKNOWN: Rule = {
  id: 'rancher-setting/unknown',
  level: 'error',
  kinds: KINDS,
  what: 'Rancher knows the setting; one that it does not know does nothing and is deleted or marked when Rancher starts',
  source: `${SETTING_GO}; rancher/rancher:pkg/controllers/dashboardapi/settings/settings.go cleanupUnknownSettings`,
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    const { name } = manifest.metadata;
    // that there is no name is said by a rule for all objects
    if (isLate(name) || name === '') { return; }
    const since = rancherSetting(name)?.since;
    const version = rancherVersionOf(target);
    if (since && version && !Since.of(...since).includes(version)) {
      yield {
        path: 'metadata.name',
        value: name,
        message: `is no setting of Rancher ${version}: it does nothing there and does not last`,
        fix: `it needs ${Since.of(...since)}; leave it out, or upgrade Rancher`,
      };
    } else if (!isRancherSetting(name)) {
      yield {
        path: 'metadata.name',
        value: name,
        level: 'warning',
        message: 'is no setting that is known here; Rancher accepts any name and does nothing with others',
        fix: 'compare it with kubectl get settings.management.cattle.io',
      };
    }
  },
};

const SERVER_OWNED: Rule = {
  id: 'rancher-setting/server-fields',
  level: 'warning',
  kinds: KINDS,
  what: 'default, customized and source of a setting are Rancher\'s: it writes them anew at every start',
  source: 'rancher/rancher:pkg/controllers/dashboardapi/settings/settings.go SetAll',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    for (const field of SERVER_FIELDS.filter((key) => manifest[key] !== undefined)) {
      yield { path: field, message: 'is written by Rancher', fix: 'leave it out and set value alone' };
    }
  },
};

const ENVIRONMENT: Rule = {
  id: 'rancher-setting/from-environment',
  level: 'error',
  kinds: KINDS,
  what: 'a setting that Rancher has from an environment variable can not be set: the variable counts',
  says: 'setting with source "" cannot update setting with source "env"',
  source: `${SETTING_VALIDATOR} admitUpdate`,
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    if (before.source === 'env' && manifest.value !== before.value) {
      const variable = `CATTLE_${manifest.metadata.name.toUpperCase().replace(/-/g, '_')}`;
      yield { path: 'value', message: `comes from the environment variable ${variable} of Rancher`, fix: 'change it there, e.g. by extraEnv of Rancher\'s chart, or remove it' };
    }
  },
};

const TLS_MODE: Rule = {
  id: 'rancher-setting/tls-mode-strict',
  level: 'error',
  kinds: KINDS,
  what: `agent-tls-mode becomes strict when every cluster has passed the check of it, or by the annotation ${ANNOTATION_FORCE}`,
  source: `${SETTING_VALIDATOR} validateAgentTLSMode`,
  *judgeUpdate(object: JudgedObject, before: Manifest, world: World): Iterable<Problem> {
    const { manifest } = object;
    if (manifest.metadata.name !== RANCHER_SETTINGS.AGENT_TLS_MODE || annotationsOf(manifest)[ANNOTATION_FORCE] === 'true') { return; }
    const now = { default: before.default, ...manifest };
    if (effectiveValueOf(before) !== AGENT_TLS_MODES.SYSTEM_STORE || effectiveValueOf(now) !== AGENT_TLS_MODES.STRICT) { return; }
    const fix = `wait until the clusters have connected with Rancher's cacerts, or set the annotation ${ANNOTATION_FORCE}: "true", which can cut them off`;
    const clusters = world.beside(object, GROUPS.MANAGEMENT, 'Cluster').map((cluster) => cluster.manifest).filter(({ metadata }) => metadata.name !== LOCAL_CLUSTER);
    const unready = clusters.filter((cluster) => !hasPassed(cluster)).map(({ metadata }) => metadata.name);
    if (unready.length > 0) {
      yield { path: 'value', message: `becomes strict before ${unready.join(', ')} can bear it`, fix, says: `${STRICT_CHECK} condition of cluster ${unready[0]} isn't 'True'` };
    } else if (clusters.length === 0) {
      yield { path: 'value', level: 'warning', message: 'becomes strict; that is refused unless every cluster has passed the check', fix, says: `${STRICT_CHECK} condition of cluster isn't 'True'` };
    }
  },
};

function hasPassed(cluster: Manifest): boolean {
  const conditions = valueAt(cluster, 'status', 'conditions');
  return Array.isArray(conditions) && conditions.some((condition) => valueAt(condition, 'type') === STRICT_CHECK && valueAt(condition, 'status') === 'True');
}

const DELETED: Rule = {
  id: 'rancher-setting/deleted',
  level: 'warning',
  kinds: KINDS,
  what: 'a setting is taken back by the value "", not by deleting the object, which Rancher needs and makes anew at its next start only',
  source: 'rancher/rancher:pkg/controllers/dashboardapi/settings/settings.go SetAll',
  *judgeDeletion({ manifest }: JudgedObject): Iterable<Problem> {
    if (!isRancherSetting(manifest.metadata.name)) { return; }
    yield { path: '', message: 'is gone from the manifests: its value stays, or the object is deleted if you prune', fix: 'keep it with value: "" to go back to the default' };
  },
};

/** Rules for Rancher's settings. */
export const RANCHER_SETTING_RULES: readonly Rule[] = [
  VALUE, UNKNOWN, SERVER_OWNED, ENVIRONMENT, TLS_MODE, DELETED, ...SETTING_PAIR_RULES, ...SETTING_CHART_RULES,
];
