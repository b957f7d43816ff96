import { checkRancherSetting, isRancherSetting, rancherSetting } from './rancher-setting.check';
import { AGENT_TLS_MODES, ANNOTATION_FORCE, RANCHER_SETTINGS } from './rancher-setting.kind';
import { SETTING_GO, SETTING_VALIDATOR, withoutSecrets } from './setting-formats.check';
import { atoi } from '../../core/go/go-numbers';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, valueAt } from '../../core/manifest/manifest';
import { annotationsOf } from '../../core/manifest/metadata';
import { GROUPS, LOCAL_CLUSTER } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { goDuration } from '../../core/text/time';
import { GateId } from '../../core/version/gate-id';
import { Since } from '../../core/version/product-version';
import { rancherHas, rancherVersionOf } from '../version/rancher-gates';

const SETTING = `${GROUPS.MANAGEMENT}/Setting`;

const SERVER_URL: Rule = {
  id: 'rancher-setting/server-url-differs',
  level: 'warning',
  kinds: [SETTING],
  what: 'the setting server-url is the serverUrl of the RancherChart: Rancher makes its URLs of the one, the program of the other',
  source: 'rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/status.go getURL',
  *judge({ manifest, target: { serverUrl } }: JudgedObject): Iterable<Problem> {
    const { value, metadata: { name } } = manifest;
    if (name !== RANCHER_SETTINGS.SERVER_URL || serverUrl === undefined || typeof value !== 'string' || value === '' || isLate(value)) { return; }
    // what is no URL is reported by another rule
    if (!URL.canParse(value) || !URL.canParse(serverUrl) || new URL(value).origin === new URL(serverUrl).origin) { return; }
    yield {
      path: 'value',
      value: withoutSecrets(value),
      message: `is not ${serverUrl}, the serverUrl of the RancherChart: registration URLs, kubeconfigs and nodes get one or the other`,
      fix: 'give both the same URL',
    };
  },
};

const STRICT: Rule = {
  id: 'rancher-setting/strict-without-ca',
  level: 'warning',
  kinds: [SETTING, `${GROUPS.PROVISIONING}/Cluster`],
  what: 'agents that trust the setting cacerts alone (agent-tls-mode strict, STRICT_VERIFY) need an authority in it',
  says: 'Strict CA verification is enabled but encountered error finding root CA',
  source: 'rancher/rancher:cmd/agent/main.go, pkg/systemtemplate/import.go',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const path = strictIn(object.manifest);
    if (path === undefined || hasAuthority(object, world) !== false) { return; }
    yield {
      path,
      message: 'makes the agents of all clusters trust nothing but the setting cacerts, and no authority is known: they would stop',
      fix: `set caCertificates on the RancherChart and install Rancher with that authority (privateCA), or use ${AGENT_TLS_MODES.SYSTEM_STORE}`,
    };
  },
};

/** Where a manifest asks for strict verification; undefined where it does not. */
function strictIn(manifest: Manifest): string | undefined {
  if (manifest.kind === 'Setting') {
    return manifest.metadata.name === RANCHER_SETTINGS.AGENT_TLS_MODE && manifest.value === AGENT_TLS_MODES.STRICT ? 'value' : undefined;
  }
  const variables = valueAt(manifest, 'spec', 'agentEnvVars');
  const index = Array.isArray(variables) ? variables.findIndex((variable) => isRecord(variable) && variable.name === 'STRICT_VERIFY' && variable.value === 'true') : -1;
  return index < 0 ? undefined : `spec.agentEnvVars[${index}].value`;
}

// undefined where neither a chart nor the setting of the live Rancher says it
function hasAuthority(object: JudgedObject, world: World): boolean | undefined {
  const { serverUrl, privateCa } = object.target;
  const live = world.find(object, GROUPS.MANAGEMENT, 'Setting', undefined, RANCHER_SETTINGS.CA_CERTS)?.manifest;
  if (live) { return typeof live.value === 'string' ? live.value !== '' : undefined; }
  return serverUrl === undefined ? undefined : privateCa !== undefined;
}

/** Rules for what settings of Rancher and its chart say of the same. */
export const SETTING_CHART_RULES: readonly Rule[] = [SERVER_URL, STRICT];

const KINDS = ['management.cattle.io/Setting'];

/** Another setting of the same Rancher: what it says, and whether that is known or the built-in default. */
interface Other {
  readonly value: string;
  readonly known: boolean;
}

function otherSetting(object: JudgedObject, world: World, name: string): Other {
  const manifest = world.find(object, GROUPS.MANAGEMENT, 'Setting', undefined, name)?.manifest;
  const builtIn = typeof manifest?.default === 'string' ? manifest.default : rancherSetting(name)?.default ?? '';
  const value = typeof manifest?.value === 'string' ? manifest.value : '';
  return { value: value || builtIn, known: manifest !== undefined };
}

function valueOf({ value }: Manifest): string | undefined {
  return typeof value === 'string' && value !== '' && !isLate(value) ? value : undefined;
}

function minutesOf(text: string): number | undefined {
  return atoi(text);
}

function durationMinutesOf(text: string): number | undefined {
  const seconds = goDuration(text);
  return seconds === undefined ? undefined : seconds / 60;
}

// against a default that the live server may not have any more, a warning
const levelOf = ({ known }: Other): { level?: 'warning' } => (known ? {} : { level: 'warning' });

const RETENTION = [RANCHER_SETTINGS.DISABLE_INACTIVE_USER, RANCHER_SETTINGS.DELETE_INACTIVE_USER];

const INACTIVITY: Rule = {
  id: 'rancher-setting/inactive-users',
  level: 'error',
  kinds: KINDS,
  what: `users are disabled and deleted for inactivity after ${RANCHER_SETTINGS.SESSION_TTL} at the earliest`,
  source: `${SETTING_VALIDATOR} isLessThanUserSessionTTL, validateAuthUserSessionTTLMinutes`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { name } = object.manifest.metadata;
    const value = valueOf(object.manifest);
    if (value === undefined) { return; }
    if (RETENTION.some((setting) => setting === name)) {
      const session = otherSetting(object, world, RANCHER_SETTINGS.SESSION_TTL);
      const [after, minutes] = [durationMinutesOf(value), minutesOf(session.value)];
      if (after !== undefined && minutes !== undefined && after > 0 && after < minutes) {
        yield {
          path: 'value',
          value,
          message: `is less than ${RANCHER_SETTINGS.SESSION_TTL}, ${minutes} minutes`,
          fix: `use ${Math.ceil(minutes / 60)}h or more`,
          says: `value: Forbidden: can't be less than ${RANCHER_SETTINGS.SESSION_TTL}`,
          ...levelOf(session),
        };
      }
    } else if (name === RANCHER_SETTINGS.SESSION_TTL) {
      for (const setting of RETENTION) {
        const other = otherSetting(object, world, setting);
        const [minutes, after] = [minutesOf(value), durationMinutesOf(other.value)];
        if (minutes !== undefined && after !== undefined && after > 0 && minutes > after) {
          yield {
            path: 'value',
            value,
            message: `is more than ${setting}, ${other.value}`,
            fix: `use ${Math.floor(after)} or less`,
            says: `value: Forbidden: can't be greater than ${setting}`,
          };
        }
      }
    }
  },
};

const IDLE: Rule = {
  id: 'rancher-setting/session-idle',
  level: 'error',
  kinds: KINDS,
  what: 'a login ends for idleness no later than it ends anyway',
  says: `value: Forbidden: can't be greater than ${RANCHER_SETTINGS.SESSION_TTL}`,
  source: `${SETTING_VALIDATOR} validateAuthUserSessionIdleTTLMinutes`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const value = valueOf(object.manifest);
    if (object.manifest.metadata.name !== RANCHER_SETTINGS.SESSION_IDLE_TTL || value === undefined) { return; }
    const session = otherSetting(object, world, RANCHER_SETTINGS.SESSION_TTL);
    const [idle, minutes] = [minutesOf(value), minutesOf(session.value)];
    if (idle !== undefined && minutes !== undefined && minutes >= 0 && idle > minutes) {
      yield { path: 'value', value, message: `is more than ${RANCHER_SETTINGS.SESSION_TTL}, ${minutes} minutes`, fix: `use ${minutes} or less`, ...levelOf(session) };
    }
  },
};

const GRACE: Rule = {
  id: 'rancher-setting/registration-token-grace',
  level: 'error',
  kinds: KINDS,
  what: 'the grace period of registration tokens is less than their life; before Rancher 2.14.5 and 2.15.1 it counts as 80 % of it otherwise',
  source: `${SETTING_VALIDATOR} validateCRTDefaultTTL; rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/clusterregistrationtoken.go ClampGracePeriod`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { CRT_DEFAULT_TTL, CRT_DEFAULT_GRACE } = RANCHER_SETTINGS;
    const value = valueOf(object.manifest);
    const { name } = object.manifest.metadata;
    const refuses = rancherHas(object.target, GateId.REGISTRATION_TOKEN_LIFETIME_CHECKED) === true;
    if (value === undefined || (name !== CRT_DEFAULT_GRACE && !(refuses && name === CRT_DEFAULT_TTL))) { return; }
    const other = otherSetting(object, world, name === CRT_DEFAULT_GRACE ? CRT_DEFAULT_TTL : CRT_DEFAULT_GRACE);
    const [own, theirs] = [minutesOf(value), minutesOf(other.value)];
    const [grace, ttl] = name === CRT_DEFAULT_GRACE ? [own, theirs] : [theirs, own];
    if (grace === undefined || ttl === undefined || ttl <= 0 || grace < ttl) { return; }
    const [relation, fix] = name === CRT_DEFAULT_GRACE ? ['less than', 'use less'] : ['greater than', 'use more'];
    const otherName = name === CRT_DEFAULT_GRACE ? CRT_DEFAULT_TTL : CRT_DEFAULT_GRACE;
    yield {
      path: 'value',
      value,
      ...(refuses ? levelOf(other) : { level: 'warning' as const }),
      message: `is not ${relation} ${otherName}, ${theirs}`,
      fix,
      ...(refuses ? { says: `value: Forbidden: ${name} (${own}) must be ${relation} ${otherName} (${theirs})` } : {}),
    };
  },
};

const NEVER: Rule = {
  id: 'rancher-setting/token-never-expires',
  level: 'warning',
  kinds: KINDS,
  what: 'tokens of kubeconfigs, and so of cloud credentials, never expire when both their default and the maximum are 0',
  source: 'rancher/rancher:pkg/auth/tokens/manager.go ClampToMaxTTL; harvester/harvester#5827',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    // before 2.8 both are 0 by default
    if (rancherHas(object.target, GateId.TOKEN_TTL_DEFAULTS) === false) { return; }
    const { KUBECONFIG_DEFAULT_TTL, KUBECONFIG_MAX_TTL, AUTH_TOKEN_MAX_TTL } = RANCHER_SETTINGS;
    const { name } = object.manifest.metadata;
    const maxName = rancherHas(object.target, GateId.KUBECONFIG_MAX_TTL_SETTING) ? KUBECONFIG_MAX_TTL : AUTH_TOKEN_MAX_TTL;
    const value = valueOf(object.manifest);
    if (value === undefined || minutesOf(value) !== 0) { return; }
    const otherName = name === KUBECONFIG_DEFAULT_TTL ? maxName : name === maxName ? KUBECONFIG_DEFAULT_TTL : undefined;
    if (!otherName) { return; }
    const other = otherSetting(object, world, otherName);
    const minutes = minutesOf(other.value);
    if (minutes === undefined || minutes === 0) { return; }
    yield {
      path: 'value',
      value,
      fix: `set ${otherName} to "0" as well, e.g. by TokenLifetime`,
      message: `alone does not make tokens last: ${otherName} is ${minutes}${other.known ? '' : ' by default'}, so those of kubeconfigs expire after ${minutes} minutes`,
    };
  },
};

/** Rules for settings that judge each other. */
export const SETTING_PAIR_RULES: readonly Rule[] = [INACTIVITY, IDLE, GRACE, NEVER];

const RANCHER_SETTING_KINDS = ['management.cattle.io/Setting'];
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
  kinds: RANCHER_SETTING_KINDS,
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
  const refused = least !== undefined && minutes !== undefined && minutes < least && rancherHas(target, GateId.REGISTRATION_TOKEN_LIFETIME_CHECKED) === true;
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
  kinds: RANCHER_SETTING_KINDS,
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
  kinds: RANCHER_SETTING_KINDS,
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
  kinds: RANCHER_SETTING_KINDS,
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
  kinds: RANCHER_SETTING_KINDS,
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
  kinds: RANCHER_SETTING_KINDS,
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
